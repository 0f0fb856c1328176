import { folio } from './folio-command.ts';
import { median, runOnce } from './measure.ts';
import { printTable, seconds, times } from './print-table.ts';
import { startService, type Service } from './service.ts';

const ROUNDS = 3;
const RECORDS = 5000;
const PAGE_SIZE = 500;

/** A slow listing: 5,000 received invoices of 12 KB, each call 10 to 25 s, here a twentieth of that. */
export async function measureCalls(): Promise<void> {
  const service = await startService('received', RECORDS, PAGE_SIZE);
  const candidate = { name: 'folio', command: folio('received', '--format', 'csv'), env: service.env };
  try {
    const [ours, calls, theirs]: number[][] = [[], [], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours!.push((await runOnce(candidate)).seconds);
      calls!.push(await service.calls());
      theirs!.push(await pageAfterPage(service));
      await service.calls();
    }
    const faster = median(theirs!.map((other, round) => other / ours![round]!));
    printTable(
      `5,000 received invoices of 12 KB, 0.5 to 1.25 s a call (medians of ${ROUNDS})`,
      ['what', 'calls', 'time', 'times folio'],
      [
        ['`folio received --format csv`', String(median(calls!)), seconds(median(ours!)), '1.00'],
        [
          'page after page, at the right size',
          String(RECORDS / PAGE_SIZE),
          seconds(median(theirs!)),
          times(faster),
        ],
      ],
    );
  } finally {
    service.stop();
  }
}

/** Seconds. */
async function pageAfterPage({ baseUrl }: Service): Promise<number> {
  const started = performance.now();
  for (let page = 0; page * PAGE_SIZE < RECORDS; page++) {
    const url = `${baseUrl}/invoices/received?options_pageSize=${PAGE_SIZE}&options_page=${page}`;
    await (await fetch(url)).arrayBuffer();
  }
  return (performance.now() - started) / 1000;
}
