// What `npm run lint` checks besides types: mistakes that the compiler accepts, and a rule of our own: styles are not an
// interface, so an element is found by its role, label, data attribute or a reference, never by the name of a CSS class.
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

const FINDS_BY_CLASS =
    "CallExpression[callee.property.name=/^(querySelector|querySelectorAll|closest|matches)$/] > Literal[value=/\\./]";

export default defineConfig(
    { ignores: ["dist"] },
    tseslint.configs.recommendedTypeChecked,
    {
        languageOptions: { parserOptions: { projectService: { allowDefaultProject: ["*.js", "*/*.mjs"] } } },
        rules: {
            eqeqeq: "error",
            "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
            // Cells of tables may hold any JSON; what is shown of an object does not matter.
            "@typescript-eslint/no-base-to-string": "off",
            // Components pass their callbacks on, and a function may return a promise without waiting itself.
            "@typescript-eslint/unbound-method": "off",
            "@typescript-eslint/require-await": "off",
        },
    },
    {
        files: ["src/**"],
        rules: {
            "no-console": "error",
            "no-restricted-syntax": [
                "error",
                {
                    selector: FINDS_BY_CLASS,
                    message: "Find it by role, label, data attribute or reference, not by a CSS class.",
                },
            ],
        },
    },
    // The scripts that start things are plain JavaScript.
    { files: ["**/*.mjs"], extends: [tseslint.configs.disableTypeChecked] },
);
