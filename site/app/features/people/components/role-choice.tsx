import * as styles from './role-choice.module.css';

interface Choice {
  value: string;
  word: string;
  may: string;
}

/** One role, with what each of them may do. */
export function RoleChoice({
  roles,
  value,
  onChoose,
}: {
  roles: readonly Choice[];
  value: string;
  onChoose: (role: string) => void;
}) {
  return (
    <fieldset className={styles.roles}>
      <legend>Role</legend>
      {roles.map((role) => (
        <label key={role.value}>
          <input
            type="radio"
            name="role"
            value={role.value}
            checked={role.value === value}
            onChange={() => onChoose(role.value)}
          />
          <b>{role.word}</b>
          <small>{role.may}</small>
        </label>
      ))}
    </fieldset>
  );
}
