import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { isPage, ownPath } from '~/lib/own-address';

interface AddressLinkProps {
  /** An address that a person or a program wrote. */
  to: string;
  className?: string;
  children: ReactNode;
}

/** A link to any address: one of this site is a page of it, however it was written; any other opens beside it. */
export function AddressLink({ to, className, children }: AddressLinkProps) {
  const path = ownPath(to);
  if (path === null)
    return (
      <a className={className} href={to} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  return (
    <Link className={className} to={path} reloadDocument={!isPage(path)}>
      {children}
    </Link>
  );
}
