/** The name of the user, hidden in a form for a password, so that password managers know whose it is. */
export function UserNameField({ user }: { user: string }) {
  return (
    <input
      type="text"
      name="user"
      autocomplete="username"
      value={user}
      readOnly
      class="visually-hidden"
      tabIndex={-1}
      aria-hidden="true"
    />
  );
}
