import { DECIMAL_ZERO, formatDecimal, widestScale } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { textJson, type Row } from '../query/result-rows.ts';
import { isKnown, type ReportFigures } from './figures.ts';
import type { Writing } from './words.ts';

const FIGURES = ['receivable', 'overdue', 'payable', 'overduePayable', 'billed', 'tax'] as const;

/** The columns of `monthRows` under the words of the language, and what they are to a reader. */
export function monthColumns(
  { words }: Writing,
  isSeveral: boolean,
): { readonly columns: readonly string[]; readonly shown: ShownColumns } {
  const roles = [
    ...(isSeveral ? [[words.organization, 'profile'] as const] : []),
    [words.currency, 'currency'] as const,
    ...FIGURES.map((name) => [words[name], 'amount'] as const),
  ];
  return {
    columns: roles.map(([column]) => column),
    shown: Object.fromEntries(roles.map(([column, role]) => [column, { role }])),
  };
}

/** How an organization stands, a row for each currency, as on the first screen of the page. What is not known is null. */
export function monthRows({ organization }: ReportFigures, { words }: Writing, isSeveral: boolean): Row[] {
  const { profile, name, fiscalIds, currencies, missing } = organization;
  const [receivables, payables] = (['issued', 'received'] as const).map((part) =>
    isKnown(missing, part, 'balances'),
  );
  const billed = isKnown(missing, 'issued', 'months');
  const known = [receivables, receivables, payables, payables, billed, billed];
  const sections = currencies.length > 0 ? currencies : [undefined];
  return sections.map((section): Row => {
    const { receivable, payable, issued } = section ?? {};
    const { total, tax } = issued?.all.amounts ?? {};
    const amounts = [receivable?.open, receivable?.overdue, payable?.open, payable?.overdue, total, tax].map(
      (amount = DECIMAL_ZERO) => amount,
    );
    // A currency has one number of decimals, in its zeros too.
    const scale = widestScale(amounts);
    return [
      ...(isSeveral ? [[words.organization, textJson(profile ?? name ?? fiscalIds[0])] as const] : []),
      [words.currency, textJson(section?.currency)],
      ...FIGURES.map(
        (figure, at) => [words[figure], known[at] ? formatDecimal(amounts[at]!, scale) : 'null'] as const,
      ),
    ];
  });
}
