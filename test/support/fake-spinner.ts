import type { SpinnerOptions, StartSpinner } from '../../src/context.ts';

/** A spinner that draws nothing: it keeps what it was started with, and whether it still turns. */
export class FakeSpinner {
  /** What it would show now; '' when it is not there. */
  get text(): string {
    return this.isTurning ? this.#options!.text() : '';
  }

  get color(): boolean | undefined {
    return this.#options?.color;
  }

  isTurning = false;
  /** How often it was started. */
  starts = 0;
  #options: SpinnerOptions | undefined;

  readonly load = async (): Promise<StartSpinner> => (options) => {
    this.#options = options;
    this.isTurning = true;
    this.starts++;
    return { stop: () => (this.isTurning = false) };
  };
}
