// The zip in which folio's program for Windows is handed on.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from './bundle.js';

/** Writes the zip: the program, what to read first, the licences, and the completion for PowerShell. */
export async function makeWindowsZip({ zip, program, version, notices, completion }) {
  const { ZipArchive } = await zipWriter();
  const parts = [];
  const archive = new ZipArchive({ write: (bytes) => void parts.push(bytes) });
  const put = (name, content) => archive.addContent(name, content);
  const readme = readFileSync(join(root, '.config/windows/README.txt'), 'utf8');
  await put('README.txt', forNotepad(readme.replaceAll('VERSION', version)));
  await put('folio.exe', readFileSync(program));
  await put('folio-completion.ps1', forNotepad(completion.toString()));
  await put('LICENSE.txt', forNotepad(readFileSync(join(root, 'LICENSE'), 'utf8')));
  await put('NOTICES.txt', forNotepad(notices));
  await archive.end();
  writeFileSync(zip, Buffer.concat(parts));
}

/** Folio's own writer of zips, which gives every file one time. */
async function zipWriter() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'src/output/xlsx/zip.ts')],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Text with the line ends of Windows, and with the mark by which all its programs know that it is UTF-8. */
function forNotepad(text) {
  return Buffer.from(`\ufeff${text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')}`);
}
