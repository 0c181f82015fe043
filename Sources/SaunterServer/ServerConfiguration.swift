import SaunterReminders

/// What an operator can set; every value has been checked.
package struct ServerConfiguration: Sendable {
    package var host: String
    package var port: Int
    /// Without a slash at its end; stands in mails and problem types.
    package var publicURL: String
    /// Where exports are spooled.
    package var dataDirectory: String
    /// Nil: mail is neither sent nor lost, it waits.
    package var smtpURL: String?
    package var mailFrom: String
    /// Nil: /metrics answers on loopback addresses only.
    package var metricsToken: String?
    /// Proxies whose X-Forwarded-For is believed.
    package var trustedProxies: TrustedProxies
    /// Which addresses are called that participants and researchers name.
    package var outward: OutwardRule
    package var version: String

    package init(
        host: String, port: Int, publicURL: String, dataDirectory: String, smtpURL: String? = nil,
        mailFrom: String = "saunter@localhost", metricsToken: String? = nil,
        trustedProxies: TrustedProxies = TrustedProxies(), outward: OutwardRule = OutwardRule(),
        version: String = "0.1.0"
    ) {
        self.host = host
        self.port = port
        self.publicURL = publicURL
        self.dataDirectory = dataDirectory
        self.smtpURL = smtpURL
        self.mailFrom = mailFrom
        self.metricsToken = metricsToken
        self.trustedProxies = trustedProxies
        self.outward = outward
        self.version = version
    }
}
