// The password of somebody whom the company's directory knows.
import { Section } from "../../components/section.tsx";

export function DirectoryPasswordSection() {
  return (
    <Section
      id="profile-password"
      title="Password"
      about="You sign in with the password that you have in your company\u2019s directory. It is not kept here: change it where you change it for everything else."
    />
  );
}
