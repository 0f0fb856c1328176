import { DECIMAL_ZERO, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { ResultForm } from '../query/questions.ts';
import { textJson, type Row } from '../query/result-rows.ts';
import { isKnown, taxIn, type CurrencySection, type ReportFigures } from './figures.ts';
import type { Writing } from './texts.ts';

/** The amounts of the month: the heading, the listing of the figure, and its amount in a currency. */
const FIGURES = [
  ['receivable', 'issued', 'balances', ({ receivable }) => receivable?.open],
  ['overdue', 'issued', 'balances', ({ receivable }) => receivable?.overdue],
  ['payable', 'received', 'balances', ({ payable }) => payable?.open],
  ['overduePayable', 'received', 'balances', ({ payable }) => payable?.overdue],
  ['billed', 'issued', 'months', ({ issued }) => issued?.inPeriod],
  ['tax', 'issued', 'months', ({ issued }) => taxIn(issued)],
] as const satisfies readonly (readonly [
  keyof Writing['texts'],
  'issued' | 'received',
  'balances' | 'months',
  (section: Partial<CurrencySection>) => Decimal | undefined,
])[];

/** The form of `monthRows`, in the language of the page. */
export function monthForm({ texts }: Writing, isSeveral: boolean): ResultForm {
  const looks = [
    ...(isSeveral ? [[texts.organization, 'profile'] as const] : []),
    [texts.currency, 'currency'] as const,
    ...FIGURES.map(([word]) => [texts[word], 'amount'] as const),
  ];
  return {
    columns: () => looks.map(([column]) => column),
    shown: Object.fromEntries(looks.map(([column, look]) => [column, { look }])),
  };
}

/** The balances of an organization, a row for each currency, as on the first screen of the page. Unknown amounts are null. */
export function monthRows({ organization }: ReportFigures, { texts }: Writing, isSeveral: boolean): Row[] {
  const { profile, name, fiscalIds, currencies } = organization;
  const sections: readonly Partial<CurrencySection>[] = currencies.length > 0 ? currencies : [{}];
  return sections.map((section): Row => {
    const amounts = FIGURES.map(([, listing, figure, amountOf]) =>
      isKnown(organization, figure, listing) ? (amountOf(section) ?? DECIMAL_ZERO) : undefined,
    );
    // All amounts of a currency have the same number of decimals, zeros too.
    const scale = widestScale(amounts.flatMap((amount) => amount ?? []));
    return [
      ...(isSeveral ? [[texts.organization, textJson(profile ?? name ?? fiscalIds[0])] as const] : []),
      [texts.currency, textJson(section.currency)],
      ...FIGURES.map(([word], at) => {
        const amount = amounts[at];
        return [texts[word], amount === undefined ? 'null' : formatDecimal(amount, scale)] as const;
      }),
    ];
  });
}
