import { Component, type ReactNode } from 'react';

interface Props {
  /** What is shown here, as a sentence says it: `The panel`. */
  readonly what: string;
  readonly children: ReactNode;
}

/** Where a part of the page fails, says so in its place; the rest goes on. */
export class ErrorBoundary extends Component<Props, { readonly problem: string | undefined }> {
  override state = { problem: undefined };

  static getDerivedStateFromError(error: unknown): { problem: string } {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === undefined) return this.props.children;
    return (
      <div className="failed" role="alert">
        <p>
          {this.props.what} cannot be shown: {problem}
        </p>
        <p>Your work is kept. Load the page again to go on, or take back the last step.</p>
        <div className="buttons">
          <button type="button" onClick={() => this.setState({ problem: undefined })}>
            Try again
          </button>
          <button type="button" className="main" onClick={() => location.reload()}>
            Load again
          </button>
        </div>
      </div>
    );
  }
}
