import { describe, expect, it } from 'vitest';
import { proxyFor } from '../../src/api/transport.ts';

const origin = 'https://api.example.com:8443';

describe('proxyFor', () => {
  it.each([
    [{}, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128' }, 'proxy:3128'],
    [{ https_proxy: 'http://proxy:3128', HTTPS_PROXY: 'http://other:1' }, 'proxy:3128'],
    [{ https_proxy: '', HTTPS_PROXY: 'http://proxy:3128' }, 'proxy:3128'],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ HTTPS_PROXY: 'proxy:3128' }, 'proxy:3128'],
    [{ HTTPS_PROXY: 'https://proxy' }, 'proxy:443'],
    [{ HTTPS_PROXY: 'http://proxy/' }, 'proxy:80'],
    [{ HTTP_PROXY: 'http://proxy:3128' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'a.example, example.com' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', no_proxy: '', NO_PROXY: '.EXAMPLE.com' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: '*.example.com:8443' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'api.example.com:443' }, 'proxy:3128'],
    [{ HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'i.example.com ample.com' }, 'proxy:3128'],
  ])('%j: %s', (env, host) => {
    expect(proxyFor(origin, env)?.host).toBe(host);
  });

  it.each(['[::1]', '::1', '[::1]:443'])('NO_PROXY=%s spares an IPv6 address', (list) => {
    expect(proxyFor('https://[::1]', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: list })).toBeUndefined();
  });
});
