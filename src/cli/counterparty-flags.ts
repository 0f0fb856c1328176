import { UsageError } from '../errors.ts';
import type { Flags, Values } from '../run/flag.ts';

/** The counterparties: customers, or with --payable the issuers of received invoices. */
export const counterpartyFlags = {
  payable: { syntax: '--payable', daily: true, about: 'of received invoices instead of issued ones' },
  customerFiscalId: {
    syntax: '--customer-fiscal-id <id...>',
    daily: true,
    narrows: true,
    about: 'only of this customer; several, with commas, @file or @- (one ID a line)',
    stdin: '@-',
  },
  issuerFiscalId: {
    syntax: '--issuer-fiscal-id <id...>',
    daily: true,
    narrows: true,
    about: 'with --payable: only of this issuer',
    stdin: '@-',
  },
} as const satisfies Flags;

/** The fiscal IDs of the flags. Throws UsageError for the flag of the other listing; `otherwise` tells how to read that one. */
export function fiscalIdsOf(
  { customerFiscalId, issuerFiscalId }: Omit<Values<typeof counterpartyFlags>, 'payable'>,
  payable: boolean,
  otherwise = `${payable ? 'leave out' : 'add'} --payable`,
): readonly string[] | undefined {
  const [ids, others] = payable ? [issuerFiscalId, customerFiscalId] : [customerFiscalId, issuerFiscalId];
  if (others === undefined) return ids;
  const [flag, instead] = payable
    ? ['--customer-fiscal-id', '--issuer-fiscal-id']
    : ['--issuer-fiscal-id', '--customer-fiscal-id'];
  throw new UsageError(
    `${flag} names nobody among the counterparties of ${payable ? 'received' : 'issued'} invoices`,
    { hint: `Use ${instead}, or ${otherwise}.` },
  );
}
