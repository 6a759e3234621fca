import { Component, type ReactNode } from 'react';
import { useStudio } from '../session/store.js';
import { useHome } from './store.js';

interface Props {
  /** What is shown here, as a sentence says it: `The panel`. */
  readonly what: string;
  readonly children: ReactNode;
}

/** Where a part of the page fails, says so in its place, until something is done; the rest continues. */
export class ErrorBoundary extends Component<Props, { readonly problem: string | undefined }> {
  override state = { problem: undefined };
  #stop: (() => void) | undefined;

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override componentDidMount(): void {
    // What failed on a document may work on another: Undo brings it back.
    this.#stop = useStudio.subscribe((now, before) => {
      if (now.document !== before.document && this.state.problem !== undefined)
        this.setState({ problem: undefined });
    });
  }

  override componentWillUnmount(): void {
    this.#stop?.();
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    const isKept = useHome.getState().problem === '';
    return (
      <div className="failed" role="alert">
        <p>
          {this.props.what} cannot be shown: {problem}
        </p>
        <p>
          {isKept
            ? 'Your work is kept. Take back the last step, or load the page again.'
            : 'Your work is not kept in this browser: save it with Ctrl S before you load the page again.'}
        </p>
        {isKept && (
          <button type="button" className="main" onClick={() => location.reload()}>
            Load again
          </button>
        )}
      </div>
    );
  }
}
