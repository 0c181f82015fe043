/// Where and how mail is handed in: a parsed `SAUNTER_SMTP_URL`.
///
/// `smtp://user:password@host:port`, `smtps://…` (TLS from the first byte). User and password are
/// percent-encoded. After `?`: `starttls=required` or `starttls=never`, `ca=/path` (certificates to trust
/// in place of the system's). A path gives the name for EHLO. Without `starttls` it is required when
/// credentials are given, not used to this very machine, and used where offered elsewhere.
package struct MailServer: Sendable {
    /// How the connection is secured.
    package enum Security: Sendable, Equatable {
        case tls, startTLSRequired, startTLSOffered, none
    }

    package let host: String
    package let port: Int
    package let security: Security
    /// The file of trusted certificates.
    package let authorities: String?
    let helloName: String?
    let credentials: Credentials?
    /// How long connecting (TLS and greeting included) and the whole mail may take.
    package var connectTimeout = Duration.seconds(15)
    package var totalTimeout = Duration.seconds(120)

    struct Credentials: Sendable, Equatable {
        let user: String
        let password: String
    }

    /// What may be shown of it: no credentials.
    package var summary: String { "\(host):\(port)" }

    /// Parses the URL; the fault is one line and repeats no part that may be secret.
    package init(url: String) throws(MailFault) {
        let parts = try MailServerURL(url)
        host = parts.host
        port = parts.port ?? (parts.isSecure ? 465 : 25)
        credentials = try parts.credentials()
        helloName = parts.path.isEmpty ? nil : parts.path
        var startTLS: String?
        var authorities: String?
        for (name, value) in parts.options {
            switch name {
            case "starttls" where startTLS == nil: startTLS = value
            case "ca" where authorities == nil && value.hasPrefix("/"): authorities = value
            default:
                throw .badServer(
                    reason:
                        "after the ? there may be starttls=required or starttls=never, and ca=/path, each once"
                )
            }
        }
        self.authorities = authorities
        security = try Self.security(parts, startTLS, hasCredentials: credentials != nil)
    }

    private static func security(
        _ parts: MailServerURL, _ startTLS: String?, hasCredentials: Bool
    ) throws(MailFault) -> Security {
        switch (parts.isSecure, startTLS) {
        case (true, nil): return .tls
        case (true, _): throw .badServer(reason: "smtps:// has no STARTTLS: leave starttls out")
        case (false, "required"): return .startTLSRequired
        case (false, "never"): return .none
        case (false, nil):
            if hasCredentials { return .startTLSRequired }
            let isHere = parts.host == "localhost" || parts.host == "[::1]" || parts.host.hasPrefix("127.")
            return isHere ? .none : .startTLSOffered
        case (false, _): throw .badServer(reason: "starttls is required or never")
        }
    }
}
