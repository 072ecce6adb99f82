/** The nonce of this page: the content security policy refuses style elements without it (api/ui.py). */
export const cspNonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce
