import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Reply } from './reply.ts';

/** Seconds that a link opens its file (spec 2.5). */
const LINK_LIFE = 24 * 3600;

/** Links that open a file without a token, until they end (spec 2.5). */
export class LinkSigner {
  readonly #key: KeyObject;
  readonly #origin: string;
  readonly #now: () => number;

  /** `origin` is `http://127.0.0.1:PORT`. */
  constructor(key: Buffer, origin: string, now: () => number) {
    this.#key = createSecretKey(key);
    this.#origin = origin;
    this.#now = now;
  }

  /** The end of a link made now, in seconds since 1970. So a record that is read again a second later has another link. */
  expiry(seconds = LINK_LIFE): number {
    return Math.ceil(this.#now() / 1000) + seconds;
  }

  /** The link to a path, with its end and its signature. */
  sign(path: string, expires: number): string {
    return `${this.#origin}${path}?expires=${expires}&signature=${this.#signature(path, String(expires))}`;
  }

  /** Judges a link that came back; `query` is what follows the question mark. */
  check(path: string, query: string): 'valid' | 'expired' | 'forged' {
    const form = /^expires=(\d{1,12})&signature=([\w-]{43})$/.exec(query);
    if (form === null) return 'forged';
    const [expected, given] = [this.#signature(path, form[1]!), form[2]!];
    if (!timingSafeEqual(Buffer.from(expected), Buffer.from(given))) return 'forged';
    return Number(form[1]) * 1000 > this.#now() ? 'valid' : 'expired';
  }

  #signature(path: string, expires: string): string {
    return createHmac('sha256', this.#key).update(`${path}\n${expires}`).digest('base64url');
  }
}

/**
 * Answers the signed links: `/files/…` redirects to `/storage/…`, which is signed too and serves the file (spec 2.5);
 * `/portal/…` is where a customer's portal link leads. No token is looked at. Undefined for any other path.
 */
export function openLink(links: LinkSigner, path: string, query: string): Reply | undefined {
  const form =
    /^\/(files)\/([12])\/(\w{24})\/([01])$/.exec(path) ??
    /^\/(storage)\/([12])\/(\w{24})\/([01])\.(?:pdf|xml)$/.exec(path) ??
    /^\/(portal)\/([12])\/(\w{24})$/.exec(path);
  if (form === null) return undefined;
  const verdict = links.check(path, query);
  if (verdict !== 'valid') return refuse(verdict);
  const [, kind, place, id, file] = form;
  if (kind === 'portal')
    return page('text/html; charset=utf-8', '<!doctype html><title>Portal</title><p>Portal\n');
  const isXml = file === '1';
  if (kind === 'files') {
    const target = `/storage/${place}/${id}/${file}.${isXml ? 'xml' : 'pdf'}`;
    const location = links.sign(target, links.expiry(REDIRECT_LIFE));
    return { status: 302, headers: { location }, body: Buffer.alloc(0) };
  }
  return isXml ? page('application/xml', renderXml(id!)) : page('application/pdf', renderPdf(id!));
}

/** Seconds that the address lasts to which a link redirects. */
const REDIRECT_LIFE = 300;

/** In the words of the storage service behind such links. */
function refuse(verdict: 'expired' | 'forged'): Reply {
  const [code, message] =
    verdict === 'expired'
      ? ['AccessDenied', 'Request has expired']
      : [
          'SignatureDoesNotMatch',
          'The request signature we calculated does not match the signature you provided.',
        ];
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return { ...page('application/xml', body), status: 403 };
}

function page(type: string, text: string): Reply {
  return { status: 200, headers: { 'content-type': type }, body: Buffer.from(text, 'latin1') };
}

function renderXml(id: string): string {
  return `<?xml version="1.0" encoding="ISO-8859-1"?>\n<DTE version="1.0"><Documento ID="${id}"><Razón>Peña</Razón></Documento></DTE>\n`;
}

/** The least that a PDF reader opens: one page with the id on it. */
function renderPdf(id: string): string {
  const content = `BT /F1 18 Tf 60 760 Td (Invoice ${id}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
  return `${text}${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}
