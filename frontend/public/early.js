// Before the program is here: the theme of the first paint, and the answers that it asks for first.
// A file of its own because of the CSP; src/api/early.ts takes the answers.
try {
  var theme = localStorage.getItem('pileup.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // storage is off: the system's theme it is
}
var overview = /^\/incidents\/[0-9a-f-]{36}(?=\/overview$)/.exec(location.pathname)
if (overview && !/[?&]stall=/.test(location.search)) {
  var incident = location.origin + '/api/v1' + overview[0]
  window.pileupEarly = new Map(
    [location.origin + '/api/v1/session', incident, incident + '/overview'].map(function (url) {
      return [url, fetch(url)]
    }),
  )
}
