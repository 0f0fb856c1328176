import { describe, expect, it } from 'vitest';
import { networkFailure } from '../../src/api/network-failure.ts';
import { ServiceError } from '../../src/errors.ts';

const failed = (code: string, message = 'what the system says\nmore', cause?: unknown) =>
  Object.assign(new Error(message, { cause }), { code });
const direct = { host: 'api.example.com', proxyHost: undefined };
const proxied = { ...direct, proxyHost: 'proxy:3128' };

describe('networkFailure', () => {
  it('knows the error of the HTTP parser, which has no code', () => {
    const error = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError', code: undefined });
    expect(networkFailure(error, direct)).toMatchObject({
      retryable: true,
      failure: { message: 'could not reach api.example.com: its answer is not HTTP (HPE)' },
    });
  });

  it.each([
    ['ENOTFOUND', 'its name is unknown (DNS)'],
    ['EAI_AGAIN', 'its name could not be looked up (DNS)'],
    ['ECONNREFUSED', 'it refuses the connection'],
    ['UNKNOWN', 'the system does not say why'],
    ['ECONNRESET', 'the connection was reset'],
    ['EPIPE', 'the connection was closed'],
    ['UND_ERR_SOCKET', 'the connection was closed before the response was complete'],
    ['UND_ERR_CONNECT_TIMEOUT', 'it did not accept the connection within 10 s'],
    ['HPE_INVALID_CONSTANT', 'its answer is not HTTP'],
    ['UND_ERR_HEADERS_OVERFLOW', 'what the system says'],
    ['EHOSTDOWN', 'what the system says'],
  ])('%s: %s', (code, reason) => {
    const error = failed(code);
    const failure = networkFailure(error, direct)!;
    expect(failure.retryable).toBe(true);
    expect(failure.failure).toBeInstanceOf(ServiceError);
    expect(failure.failure.message).toBe(`could not reach api.example.com: ${reason} (${code})`);
    expect(failure.failure.cause).toBe(error);
  });

  const UNSAFE =
    'SELF_SIGNED_CERT_IN_CHAIN DEPTH_ZERO_SELF_SIGNED_CERT UNABLE_TO_VERIFY_LEAF_SIGNATURE ' +
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY CERT_HAS_EXPIRED ERR_TLS_CERT_ALTNAME_INVALID EPROTO';
  it.each(UNSAFE.split(' '))('%s is not asked again', (code) => {
    const failure = networkFailure(failed(code), direct)!;
    expect(failure.retryable).toBe(false);
    expect(failure.failure.message).toBe(
      `no safe connection to api.example.com: what the system says (${code})`,
    );
    expect(failure.failure.hint).toMatch(code.includes('ALTNAME') ? /base address/ : /NODE_EXTRA_CA_CERTS/);
  });

  const PLAIN = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];
  it.each(PLAIN)('%s is an answer in plain text', (code) => {
    const { retryable, failure: error } = networkFailure(failed(code), direct)!;
    expect(retryable).toBe(false);
    expect(error).toMatchObject({
      message: `no safe connection to api.example.com: its answer is not TLS (${code})`,
      hint: 'Check the base address: another port may be meant. Plain http is for this machine only.',
    });
  });

  const OF_A_PROXY = ['ENOTFOUND', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'];
  it.each(OF_A_PROXY)('%s with a proxy may be that of the proxy', (code) => {
    const { message, hint } = networkFailure(failed(code), proxied)!.failure;
    expect(message).toMatch(/^could not reach api\.example\.com, or the proxy proxy:3128 on the way: /);
    expect(hint).toContain('HTTPS_PROXY');
  });

  it('tells the certificate of a proxy from that of the service', () => {
    const cause = failed('ERR_TLS_CERT_ALTNAME_INVALID');
    const { failure: error, retryable } = networkFailure(failed('UND_ERR_PRX_TLS', 'no', cause), proxied)!;
    expect(retryable).toBe(false);
    expect(error.message).toBe(
      'no safe connection to proxy:3128: what the system says (ERR_TLS_CERT_ALTNAME_INVALID)',
    );
  });

  it('has one line of 200 characters of what the system says', () => {
    const { message } = networkFailure(failed('EPROTO', `${'x'.repeat(201)}\nmore`), direct)!.failure;
    expect(message).toBe(`no safe connection to api.example.com: ${'x'.repeat(200)} (EPROTO)`);
  });

  it.each([
    new TypeError('x is not a function'),
    failed('UND_ERR_INVALID_ARG'),
    failed('ERR_INVALID_CHAR'),
    'text',
  ])('leaves a fault of our own alone: %s', (error) => {
    expect(networkFailure(error, direct)).toBeUndefined();
  });
});
