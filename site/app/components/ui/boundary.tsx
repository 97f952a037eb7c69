import { Component, type ReactNode } from 'react';
import * as styles from './card.module.css';
import { Failed } from './states';

interface BoundaryProps {
  /** What is missing when it could not be drawn: "The timeline". */
  what: string;
  children: ReactNode;
}

/** Keeps a fault in one part of a page from taking the rest with it: the button that matters stays. */
export class Boundary extends Component<BoundaryProps, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <section className={styles.card}>
        <Failed onRetry={() => this.setState({ failed: false })}>
          {this.props.what} could not be shown.
        </Failed>
      </section>
    );
  }
}
