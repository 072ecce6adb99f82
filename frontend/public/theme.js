// Sets the chosen theme before the first paint; a file of its own because of the CSP.
try {
  var theme = localStorage.getItem('pileup.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // storage is off: the system's theme it is
}
