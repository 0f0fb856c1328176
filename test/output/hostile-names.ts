/** Ways out of a folder. */
export const traversals = [...'.. . ... .... / \\ // \\\\ %2e%2e%2f ..%2f ..;'.split(' '), '.. ', '..\u0000'];
/** What Windows takes for devices. */
export const devices = 'CON PRN AUX NUL COM1 COM9 LPT1 LPT³ CONIN$ CONOUT$ CLOCK$ nul Aux'.split(' ');
/** What may stand before or after them. */
export const around = ['', '/', '\\', '.', ' ', '.txt', '\n', 'x/', '\u202e'];

/** Every way out of a folder and every device, with each of those before and after it. */
export function hostileNames(): string[] {
  return [...traversals, ...devices].flatMap((name) => around.flatMap((part) => [name + part, part + name]));
}
