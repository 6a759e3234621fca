import { useFollow } from '../scene/follow.js';
import { handleElements } from '../scene/handle-layout.js';
import { usePosing } from '../scene/posing-store.js';
import { type Side, view } from '../scene/view.js';

/** Views of the whole body, with their keys. */
export const VIEWS: readonly { readonly side: Side; readonly label: string; readonly key: string }[] = [
  { side: 'front', label: 'Front', key: '1' },
  { side: 'side', label: 'Side', key: '2' },
  { side: 'top', label: 'Top', key: '3' },
  { side: 'start', label: 'Reset view', key: '0' },
];

/** From where the figure is looked at. */
export function ViewBar() {
  const follows = useFollow(({ isOn }) => isOn);
  return (
    <fieldset className="views" aria-label="View">
      {VIEWS.map(({ side, label, key }) => (
        <button key={side} type="button" title={`${label} (${key})`} onClick={() => view.lookFrom(side)}>
          {label}
        </button>
      ))}
      <button
        type="button"
        aria-pressed={follows}
        title="The view goes with the figure where a clip or a fall carries it"
        onClick={() => useFollow.setState({ isOn: !follows })}
      >
        Follow
      </button>
    </fieldset>
  );
}

/** Puts rings and limits away, without a keyboard too. */
export function Deselect() {
  const hasSelected = usePosing(({ selected, joint }) => (selected ?? joint) !== undefined);
  if (!hasSelected) return null;
  return (
    <button
      type="button"
      className="deselect"
      title="Put rings and limits away (Escape, or a click beside the figure)"
      onClick={() => {
        const { selected = '', select } = usePosing.getState();
        // The button goes, and the focus with it.
        handleElements.get(selected)?.focus();
        select(undefined);
        view.invalidate();
      }}
    >
      Deselect
    </button>
  );
}
