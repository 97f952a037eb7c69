import { useEffect, useRef, useState } from 'react';
import * as styles from './tool-logo.module.css';

/** A tool's vendored logo in a tile; its first letter when there is no file or it fails to load. */
export function ToolLogo({ name, src }: { name: string; src: string }) {
  const [failed, setFailed] = useState(src === '');
  const image = useRef<HTMLImageElement>(null);
  useEffect(() => {
    // The error event may have passed before the page was hydrated.
    if (image.current?.complete && image.current.naturalWidth === 0) setFailed(true);
  }, []);
  return (
    <span className={styles.toolLogo} aria-hidden="true">
      {failed ? (
        name.charAt(0)
      ) : (
        <img
          ref={image}
          src={src}
          alt=""
          width="22"
          height="22"
          loading="lazy"
          onError={() => setFailed(true)}
        />
      )}
    </span>
  );
}
