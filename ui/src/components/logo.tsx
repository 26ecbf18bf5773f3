// The logo. Duramen is heartwood: a cross-section of a tree, with its dark core off the centre as in a real one.

export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg class="logo" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <circle class="logo-sap" cx="16" cy="16" r="15" />
      <circle class="logo-ring" cx="16.500" cy="15.700" r="12" />
      <circle class="logo-heart" cx="17.200" cy="15.200" r="8.600" />
      <circle class="logo-grain" cx="17.700" cy="14.800" r="5.300" />
      <circle class="logo-pith" cx="18" cy="14.600" r="1.900" />
    </svg>
  );
}
