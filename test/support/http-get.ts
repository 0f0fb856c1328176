import { request as requestHttp, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As it was on the wire. */
  readonly body: Buffer;
  /** The body parsed; reading it throws for what is not JSON. */
  readonly json: unknown;
}

/** One request. Not by `fetch`, which adds Accept-Encoding, inflates, and follows redirects. */
export function httpGet(url: string, options: RequestOptions & { ca?: string } = {}): Promise<HttpAnswer> {
  const open = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const request = open(url, options, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(pieces);
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body,
          get json(): unknown {
            return JSON.parse(body.toString());
          },
        });
      });
    });
    request.on('error', reject);
    request.end();
  });
}
