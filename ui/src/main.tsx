// Mounts the page.
import { render } from "preact";
import { App } from "./app.tsx";
import { applyTheme } from "./view/preferences.ts";
import "./style/fonts.css";
import "./style/theme.css";
import "./style/components.css";
import "./style/page.css";
import "./style/navigation.css";
import "./style/list.css";
import "./style/side-panels.css";
import "./style/saved.css";
import "./style/charts.css";
import "./style/views.css";

applyTheme();
render(<App />, document.getElementById("app")!);
