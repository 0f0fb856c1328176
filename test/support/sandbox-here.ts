import { startHere } from './run-here.ts';

/** What the embedded service prints, by name: its address, and a token for each of two organizations. */
export type SandboxEnvironment = Readonly<Record<'FOLIO_BASE_URL' | 'FOLIO_TOKEN' | 'FOLIO_TOKEN_2', string>>;

/** Has `folio sandbox` of the built program serve in this process until the work is done. */
export async function withSandbox<T>(
  flags: readonly string[],
  work: (printed: SandboxEnvironment) => Promise<T>,
): Promise<T> {
  const service = startHere(['sandbox', '--quiet', ...flags]);
  try {
    const printed = await service.printed(/^FOLIO_TOKEN_2=.*\n/m);
    const value = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(printed)?.[1] ?? '';
    return await work({
      FOLIO_BASE_URL: value('FOLIO_BASE_URL'),
      FOLIO_TOKEN: value('FOLIO_TOKEN'),
      FOLIO_TOKEN_2: value('FOLIO_TOKEN_2'),
    });
  } finally {
    service.stop();
    await service.exit;
  }
}
