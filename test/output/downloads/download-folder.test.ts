import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DownloadFolder } from '../../../src/output/downloads/download-folder.ts';
import type { InvoiceFile } from '../../../src/output/downloads/invoice-files.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { destinationContext } from '../destination-context.ts';

const LEDGER = '.folio-files.jsonl';

function fileOf(invoice: string): InvoiceFile {
  const known = { document: invoice, invoice, path: '/files/a', nth: 1 };
  return { ...known, shown: '7', stem: '7', index: 1, link: undefined, place: undefined };
}

function ledgerLine(invoice: string, base: string, ending = 'pdf'): string {
  return `${JSON.stringify({ invoice, index: 1, base, ending })}\n`;
}

async function* content(): AsyncGenerator<Buffer> {
  yield Buffer.from('%PDF-1.4');
}

it('takes no name from a ledger that none of its files could have got', async () => {
  const forged = [
    '../out-1',
    '/etc/out-1',
    '.hidden-1',
    '-rf-1',
    'con-1\u001b[2J-1',
    'a\u202eb-1',
    'no number',
    `${'x'.repeat(150)}-1`,
  ];
  const folder = temporaryFolder();
  const lines = [
    ...forged.map((base, at) => ledgerLine(`id-${at}`, base)),
    ledgerLine('program', '8-1', 'exe'),
    ledgerLine('path', '8-1', '../pdf'),
    ledgerLine('true', '9-1-2'),
  ];
  writeFileSync(join(folder, LEDGER), lines.join(''));
  const downloads = await DownloadFolder.open(folder, destinationContext());
  for (const [at] of forged.entries()) {
    expect(downloads.claim(fileOf(`id-${at}`))).toMatchObject({
      kind: 'free',
      base: at === 0 ? '7-1' : `7-1-${at + 1}`,
      ending: undefined,
    });
  }
  expect(downloads.claim(fileOf('program'))).toMatchObject({ base: '7-1-9', ending: undefined });
  expect(downloads.claim(fileOf('path'))).toMatchObject({ base: '7-1-10', ending: undefined });
  expect(downloads.claim(fileOf('true'))).toMatchObject({ kind: 'free', base: '9-1-2', ending: 'pdf' });
  await downloads.close();
});

it.each(['link', 'folder'])('neither reads nor writes a ledger that is a %s', async (kind) => {
  const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), 'precious')];
  writeFileSync(elsewhere, ledgerLine('a', '7-1'));
  if (kind === 'link') symlinkSync(elsewhere, join(folder, LEDGER));
  else mkdirSync(join(folder, LEDGER));
  await expect(DownloadFolder.open(folder, destinationContext())).rejects.toThrow(
    `cannot use ${join(folder, LEDGER)}: it is no file of folio's`,
  );
  expect(readFileSync(elsewhere, 'utf8')).toBe(ledgerLine('a', '7-1'));
  expect(readdirSync(folder)).toEqual([LEDGER]);
});

it('takes a folder or a link of a name for no file, and leaves it alone', async () => {
  const [folder, elsewhere] = [temporaryFolder(), join(temporaryFolder(), 'precious')];
  writeFileSync(elsewhere, 'mine');
  mkdirSync(join(folder, '7-1.pdf'));
  symlinkSync(elsewhere, join(folder, '7-1-2.pdf'));
  const downloads = await DownloadFolder.open(folder, destinationContext());
  const claim = downloads.claim(fileOf('a'));
  expect(claim).toMatchObject({ kind: 'free', base: '7-1-3', ending: undefined });
  const stored = await downloads.store({ file: claim.file, base: '7-1-3', ending: 'pdf' }, content());
  expect(stored).toEqual({ name: '7-1-3.pdf', bytes: 8, isNew: true });
  await downloads.close();
  expect(readdirSync(folder).toSorted()).toEqual([LEDGER, '7-1-2.pdf', '7-1-3.pdf', '7-1.pdf'].toSorted());
  expect(readFileSync(elsewhere, 'utf8')).toBe('mine');
  const again = await DownloadFolder.open(folder, destinationContext());
  expect(again.claim(fileOf('a'))).toMatchObject({ kind: 'there', name: '7-1-3.pdf', ending: 'pdf' });
  await again.close();
});
