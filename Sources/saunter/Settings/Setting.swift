/// One thing that an operator can set. Its raw value is the name in a configuration file; in the
/// environment it is `SAUNTER_` and the same in capitals.
enum Setting: String, CaseIterable, Sendable {
    case databaseURL = "database_url"
    case databaseConnections = "database_connections"
    case dataDirectory = "data_dir"
    case host
    case port
    case publicURL = "public_url"
    case trustedProxies = "trusted_proxies"
    case smtpURL = "smtp_url"
    case mailFrom = "mail_from"
    case outwardAllow = "outward_allow"
    case outwardCA = "outward_ca"
    case metricsToken = "metrics_token"
    case masterKeyFile = "master_key_file"
    case postgresBin = "postgres_bin"
    case logLevel = "log_level"
    case logFormat = "log_format"

    /// The variable that carries it.
    var variable: String { "SAUNTER_\(rawValue.uppercased())" }

    /// Never shown, and may be given as a file: `SAUNTER_DATABASE_URL_FILE`.
    var isSecret: Bool {
        switch self {
        case .databaseURL, .smtpURL, .metricsToken: true
        default: false
        }
    }

    /// What holds where nothing is set; nil where nothing then is what is meant.
    var standard: String? {
        switch self {
        case .databaseConnections: "8"
        case .dataDirectory: "./.saunter"
        case .host: "127.0.0.1"
        case .port: "8080"
        case .mailFrom: "saunter@localhost"
        case .logLevel: "info"
        case .logFormat: "auto"
        default: nil
        }
    }

    /// One line for `--help`.
    var meaning: String {
        switch self {
        case .databaseURL:
            "a libpq URI or key=value string, several hosts allowed; unset: a private PostgreSQL under data_dir"
        case .databaseConnections: "connections for participants' requests, 2 to 500"
        case .dataDirectory: "the private PostgreSQL, keys and exports"
        case .host: "address to listen on"
        case .port: "port to listen on"
        case .publicURL: "where participants reach the server; unset: http://host:port"
        case .trustedProxies: "addresses of proxies whose X-Forwarded-For is believed, with commas between"
        case .smtpURL: "smtp://user:password@host:port or smtps://…; unset: no mail is sent"
        case .mailFrom: "sender of mails"
        case .outwardAllow:
            "hosts and networks, with commas between, that push services and webhooks may have besides the open internet's"
        case .outwardCA:
            "a file of certificates that push services and webhooks are trusted by; unset: the system's"
        case .metricsToken: "bearer token for /metrics; unset: loopback addresses only"
        case .masterKeyFile:
            "32 bytes or 64 hexadecimal digits; unset: data_dir/keys/master.key, made on first start"
        case .postgresBin: "where PostgreSQL's programs are; unset: the newest that is found"
        case .logLevel: "trace, debug, info, notice, warning, error or critical"
        case .logFormat: "json, text or auto (text on a terminal)"
        }
    }

    /// All settings, for `saunter --help`.
    static var help: String {
        let lines = allCases.map { setting in
            let standard = setting.standard.map { " (\($0))" } ?? ""
            return
                "  \(setting.variable)\(standard): \(setting.meaning)\(setting.isSecret ? "; also …_FILE" : "")"
        }
        return """
            Settings come from the command line, then the environment, then a YAML file (--config or \
            SAUNTER_CONFIG_FILE, names in small letters without SAUNTER_):

            \(lines.joined(separator: "\n"))
            """
    }
}
