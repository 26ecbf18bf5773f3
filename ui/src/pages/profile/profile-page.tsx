// The profile: what belongs to the user who is logged in.
import { useEffect, useMemo } from "preact/hooks";
import type { Logspace } from "../../api/logspaces.ts";
import { PageHead, type PageProps } from "../../components/page-head.tsx";
import "../../style/account.css";
import { FactorSection } from "./factor-section.tsx";
import { DirectoryPasswordSection } from "./directory-password-section.tsx";
import { PasswordSection } from "./password-section.tsx";
import { ProfileModel } from "./profile-model.ts";
import { SessionsSection } from "./sessions-section.tsx";
import { TokensSection } from "./tokens-section.tsx";

export function ProfilePage(props: PageProps & { logspaces: Logspace[] }) {
  const model = useMemo(() => new ProfileModel(), []);
  useEffect(() => {
    model.start();
    document.title = "Profile \u00b7 Duramen";
    return () => model.stop();
  }, []);
  return (
    <div class="page">
      <PageHead {...props} title="Profile" tabs={[]} />
      <main class="cards" aria-busy={model.sessions.value === undefined}>
        {props.session.of_directory ? (
          <DirectoryPasswordSection />
        ) : (
          <PasswordSection model={model} user={props.session.user} />
        )}
        <FactorSection model={model} />
        <SessionsSection model={model} />
        <TokensSection model={model} logspaces={props.logspaces} />
      </main>
    </div>
  );
}
