import { createHmac } from 'node:crypto';
import type { Reply } from './reply.ts';

/** Seconds that a link opens its file (spec 2.5). */
const LINK_LIFE = 24 * 3600;

/** Links that open something of an organization without a token, until they end (spec 2.5). */
export interface Links {
  /** The link to a path, with its end and its signature. So a record that is read again a second later has another link. */
  sign(path: string): string;
  /**
   * Answers the signed links: `/files/…` redirects to `/storage/…`, which is signed too and serves the file; `/portal/…` is
   * where a customer's portal link leads. Undefined for any other path. `query` is what follows the question mark.
   */
  open(path: string, query: string): Reply | undefined;
}

/** `origin` is `http://127.0.0.1:PORT`. */
export function openLinks(key: Buffer, origin: string, now: () => number): Links {
  const signatureOf = (path: string, expires: string): string =>
    createHmac('sha256', key).update(`${path}\n${expires}`).digest('base64url');

  function sign(path: string, seconds = LINK_LIFE): string {
    const expires = String(Math.ceil(now() / 1000) + seconds);
    return `${origin}${path}?expires=${expires}&signature=${signatureOf(path, expires)}`;
  }

  function open(path: string, query: string): Reply | undefined {
    const form =
      /^\/(files)\/([12])\/(\w{24})\/([01])$/.exec(path) ??
      /^\/(storage)\/([12])\/(\w{24})\/([01])\.(?:pdf|xml)$/.exec(path) ??
      /^\/(portal)\/([12])\/(\w{24})$/.exec(path);
    if (form === null) return undefined;
    const [, expires = '', signature] = /^expires=(\d{1,12})&signature=([\w-]{43})$/.exec(query) ?? [];
    if (signature !== signatureOf(path, expires)) return refuse('SignatureDoesNotMatch', SIGNATURE_REFUSED);
    if (Number(expires) * 1000 <= now()) return refuse('AccessDenied', 'Request has expired');
    const [, kind, place, id = '', file] = form;
    if (kind === 'portal')
      return page('text/html; charset=utf-8', '<!doctype html><title>Portal</title><p>Portal\n');
    const isXml = file === '1';
    if (kind === 'files') {
      const location = sign(`/storage/${place}/${id}/${file}.${isXml ? 'xml' : 'pdf'}`, REDIRECT_LIFE);
      return { status: 302, headers: { location }, body: Buffer.alloc(0) };
    }
    return isXml ? page('application/xml', renderXml(id)) : page('application/pdf', renderPdf(id));
  }

  return { sign: (path) => sign(path), open };
}

/** Seconds that the address lasts to which a link redirects. */
const REDIRECT_LIFE = 300;

const SIGNATURE_REFUSED = 'The request signature we calculated does not match the signature you provided.';

/** In the words of the storage service behind such links. */
function refuse(code: string, message: string): Reply {
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
