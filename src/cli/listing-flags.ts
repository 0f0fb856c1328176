import { Option, type Command } from 'commander';
import type { ListEncoding } from '../api/query-string.ts';
import type { Resource } from '../resources/resource.ts';
import { addOutputFlags, type OutputFlags } from './output-flags.ts';
import { oneOf, parameter, textLike, wholeNumber, target } from './parse-values.ts';
import type { ProfilesFlags } from './profiles-flags.ts';
import type { QuestionFlags } from './questions/question-flags.ts';
import { addRequestFlags, type RequestFlags } from './request-flags.ts';

export const LIST_ENCODINGS: readonly ListEncoding[] = ['comma', 'repeat', 'brackets'];

/** What the parser hands over for a listing; which of the flags there are depends on the resource. */
export interface ListingFlags extends OutputFlags, RequestFlags, QuestionFlags, ProfilesFlags {
  readonly customerFiscalId?: readonly string[];
  readonly issuerFiscalId?: readonly string[];
  readonly sortBy?: string;
  readonly sortOrder?: 'asc' | 'desc';
  readonly page?: number;
  readonly nextToken?: string;
  readonly pageSize?: number;
  readonly limit?: number;
  readonly all?: boolean;
  readonly param?: readonly (readonly [string, string])[];
  readonly listEncoding?: ListEncoding;
  readonly strict?: boolean;
  readonly report?: string;
  readonly resume?: boolean;
}

/** Declares on `command` the flags that the resource allows. */
export function addListingFlags(command: Command, resource: Resource): void {
  for (const option of [...filterOptions(resource), ...extentOptions(resource)]) {
    command.addOption(option.helpGroup('Which records:'));
  }
  addOutputFlags(command);
  const kept = [
    new Option('--report <file>', 'write what the run did, as one JSON object; see folio verify').argParser(
      target('--report'),
    ),
    new Option(
      '--resume',
      'with -o: go on where a run that was stopped left off, and keep what this one reads',
    ),
  ];
  for (const option of kept) command.addOption(option.helpGroup('What comes out:'));
  addRequestFlags(command);
}

function filterOptions(resource: Resource): Option[] {
  const options: Option[] = [];
  const { fiscalIds, sortBy, sortDirections, defaultOrder } = resource;
  if (fiscalIds !== undefined) {
    const { flag, whose } = fiscalIds;
    options.push(
      new Option(
        `--${flag} <id...>`,
        `only of this ${whose}; several, with commas, @file or @- (one ID a line)`,
      ),
      new Option('--strict', 'unknown fiscal IDs are a failure (exit 6), not a warning'),
      new Option(
        '--list-encoding <how>',
        `how lists are sent: ${LIST_ENCODINGS.join(', ')} (default comma)`,
      ).argParser(oneOf('--list-encoding', LIST_ENCODINGS)),
    );
  }
  if (sortBy !== undefined) {
    const keys = `${sortBy.known.join(', ')}, or another key of the service (default: ${defaultOrder})`;
    options.push(new Option('--sort-by <key>', keys).argParser(textLike(sortBy.known)));
  }
  if (sortDirections !== undefined) {
    const order = new Option('--sort-order <direction>', 'asc or desc');
    options.push(order.argParser(oneOf('--sort-order', ['asc', 'desc'])));
  }
  options.push(
    new Option('--param <name=value>', 'any further parameter of the service, sent as it is').argParser(
      parameter('--param'),
    ),
  );
  return options;
}

function extentOptions({ paging }: Resource): Option[] {
  const most = paging.kind === 'numbered' ? paging.maxSize : undefined;
  const size = new Option(
    '--page-size <n>',
    `records a request${most === undefined ? '' : `, at most ${most}`}`,
  );
  const page =
    paging.kind === 'numbered'
      ? new Option('--page <n>', `just this page, numbered from ${paging.firstPage}`).argParser(
          wholeNumber('--page', paging.firstPage, 1_000_000_000),
        )
      : new Option('--next-token <cursor>', 'begin at this cursor of an earlier page');
  return [
    new Option('--limit <n>', 'at most so many records').argParser(wholeNumber('--limit', 1)),
    new Option('--all', 'everything, also where a table would stop at 50'),
    page,
    size.argParser(wholeNumber('--page-size', 1, most ?? 1_000_000)),
  ];
}
