import { type ReactNode, useState } from 'react';
import { recall, remember } from './memory.js';

/** Sections that are not as they are at first, open or closed. */
const changed = new Set(recall('folds')?.split(' '));

/** A section of the panel that closes, and is found closed again. */
export function Fold({
  name,
  title,
  note,
  className,
  isClosed = false,
  children,
}: {
  name: string;
  title: string;
  note?: string;
  className?: string;
  /** At first. */
  isClosed?: boolean;
  children: ReactNode;
}) {
  const [isOpen, setOpen] = useState(changed.has(name) === isClosed);
  return (
    <section className={className} aria-labelledby={name}>
      <details
        open={isOpen}
        onToggle={({ currentTarget: { open } }) => {
          if (open === isClosed) changed.add(name);
          else changed.delete(name);
          remember('folds', [...changed].join(' ') || undefined);
          setOpen(open);
        }}
      >
        <summary>
          <h3 id={name}>
            {title} {note && <small>{note}</small>}
          </h3>
        </summary>
        {children}
      </details>
    </section>
  );
}
