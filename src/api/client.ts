import { read, send } from './attempt.ts';
import { authorization } from './authorization.ts';
import { createInFlight } from './in-flight.ts';
import { lastFailure } from './last-failure.ts';
import { redactor } from './redact.ts';
import { requestUrl } from './request-url.ts';
import { decideRetry } from './retry-policy.ts';
import { createRetryQuota } from './retry-quota.ts';
import { signalJoiner } from './signal-joiner.ts';
import { withoutSecrets } from './without-secrets.ts';
import type { Failure, Outcome } from './attempt.ts';
import type { ApiClient, ApiRequest, ClientOptions, RequestStats } from './api-client.ts';

/** The client of one organization at one base address. Throws AuthError for a token that no header can carry. */
export function createClient(options: ClientOptions): ApiClient {
  return new Client(options);
}

/** A request on its way through its tries. */
interface Call<T> {
  readonly request: ApiRequest<T>;
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly label: { readonly request: number; readonly target: string };
}

class Client implements ApiClient {
  readonly #options: ClientOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #redact;
  readonly #inFlight;
  readonly #quota;
  readonly #signalFor;
  readonly #stats = { requests: 0, retries: 0, bytes: 0 };
  #calls = 0;
  /** Until when, in ms since 1970, the service wants no request. */
  #pausedUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#headers = {
      authorization: authorization(options.token),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `folio/${options.version}`,
    };
    this.#redact = redactor([options.token, ...(options.transport.proxy?.secrets ?? [])]);
    this.#signalFor = signalJoiner(options.signal);
    this.#inFlight = createInFlight(options.concurrency);
    this.#quota = options.quota ?? createRetryQuota();
  }

  get stats(): RequestStats {
    return this.#stats;
  }

  async get<T>(request: ApiRequest<T>): Promise<T> {
    const url = requestUrl(this.#options.baseUrl, request.path, request.query);
    const signal = this.#signalFor(request.signal);
    const label = { request: ++this.#calls, target: this.#redact(url.pathname + url.search) };
    try {
      return await this.#ask({ request, url, signal, label });
    } catch (error) {
      throw withoutSecrets(error, this.#redact);
    }
  }

  async #ask<T>(call: Call<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#try(call, attempt);
      if ('value' in outcome) {
        this.#quota.refund(attempt);
        return outcome.value;
      }
      if (outcome.wait > 0) await this.#options.clock.sleep(outcome.wait, call.signal);
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** The value, or how long to wait before the next try. Throws what ends the request. */
  async #try<T>(call: Call<T>, attempt: number): Promise<{ value: T } | { wait: number }> {
    await this.#inFlight.acquire(call.signal);
    let held = true;
    const release = (): void => {
      if (held) this.#inFlight.release();
      held = false;
    };
    try {
      const outcome = await this.#exchange(call, attempt, release);
      // A failure keeps its place until it is decided, so that none slips in before a pause begins.
      return 'value' in outcome ? outcome : { wait: this.#decide(call, attempt, outcome) };
    } finally {
      release();
    }
  }

  async #exchange<T>(call: Call<T>, attempt: number, release: () => void): Promise<Outcome<T>> {
    const { clock, transport, timeout, observe } = this.#options;
    const { url, signal, request, label } = call;
    await this.#pause(signal);
    this.#stats.requests++;
    observe?.({ kind: 'request', ...label, attempt });
    const started = clock.now();
    const answer = await send(transport, { url, headers: this.#headers, signal, timeout });
    if ('failure' in answer) return answer;
    const milliseconds = clock.now() - started;
    const { status, body } = answer;
    this.#stats.bytes += body.length;
    observe?.({ kind: 'response', ...label, attempt, status, milliseconds, bytes: body.length });
    if (status === 200) {
      // The next request may begin while this body is inflated and read.
      this.#inFlight.succeed();
      release();
    }
    const { parse, passes = [] } = request;
    return read(answer, { url, parse, passes, milliseconds, redact: this.#redact });
  }

  /** Milliseconds to wait before the next try. Throws the failure where there is to be none. */
  #decide(call: Call<unknown>, attempt: number, { failure, retryable, response }: Failure): number {
    const { clock, retry, observe } = this.#options;
    const retryAfter = response?.headers['retry-after'];
    const now = clock.now();
    const tried = { retryable, retryAfter, triesBefore: attempt, random: clock.random(), now };
    const decision = decideRetry(tried, retry);
    if (decision.kind !== 'retry' || !this.#quota.take()) throw lastFailure(failure, attempt + 1, decision);
    this.#stats.retries++;
    const { wait } = decision;
    if (response?.status === 429) this.#slowDown(now, wait);
    observe?.({ kind: 'retry', ...call.label, attempt, wait, reason: this.#redact(failure.message) });
    return wait;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // Those still in flight when it began may have made it longer.
    for (let left; (left = this.#pausedUntil - clock.now()) > 0;) await clock.sleep(left, signal);
  }

  #slowDown(now: number, wait: number): void {
    this.#inFlight.throttle();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
    this.#options.observe?.({ kind: 'throttled', wait });
  }
}
