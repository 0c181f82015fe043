import CLibPQ

/// A connection string in a format of libpq: `host=/run/pg dbname=saunter`, or
/// `postgresql://user@first,second/saunter?target_session_attrs=read-write`. libpq itself supports the list of hosts.
package struct ConnectionString: Sendable, Hashable {
    /// One connection setting of libpq with its value.
    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    private(set) var settings: [Setting]

    /// Throws if libpq cannot parse the text. The error does not quote the text, because it may contain a password.
    package init(_ text: String) throws(DatabaseError) {
        try CStrings.check(text, "the connection string")
        guard let options = unsafe PQconninfoParse(text, nil) else {
            let reason =
                "the connection string must be `keyword=value …` or `postgresql://…`, with keywords of libpq"
            throw DatabaseError(.encoding(parameter: nil, reason: reason))
        }
        defer { unsafe PQconninfoFree(options) }
        settings = []
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                let setting = unsafe Setting(keyword: String(cString: keyword), value: String(cString: value))
                settings.append(setting)
            }
            unsafe option += 1
        }
    }

    /// Returns the value in the connection string. Ignores the defaults and environment variables of libpq.
    package func value(of keyword: String) -> String? {
        settings.first { $0.keyword == keyword }?.value
    }

    /// Whether the connection string lists more than one host.
    var hasSeveralHosts: Bool {
        ["host", "hostaddr"].contains { value(of: $0)?.contains(",") == true }
    }

    /// Whether the connection string lists several hosts and libpq connects only to the primary.
    var requiresPrimary: Bool {
        hasSeveralHosts && ["read-write", "primary", nil].contains(value(of: "target_session_attrs"))
    }

    /// Returns a copy with the setting replaced or added. `keyword` must be a keyword of libpq.
    package func setting(_ keyword: String, to value: String) throws(DatabaseError) -> ConnectionString {
        try CStrings.check(keyword + value, "a connection setting")
        var copy = self
        copy.settings.removeAll { $0.keyword == keyword }
        copy.settings.append(Setting(keyword: keyword, value: value))
        return copy
    }

    /// Returns a copy with the setting added, if the connection string does not contain it.
    func setting(_ keyword: String, default value: String) throws(DatabaseError) -> ConnectionString {
        self.value(of: keyword) == nil ? try setting(keyword, to: value) : self
    }
}

extension ConnectionString: CustomStringConvertible, CustomReflectable {
    /// Host, port, database and user. Never contains the password.
    package var description: String {
        ["host", "port", "dbname", "user"]
            .compactMap { keyword in value(of: keyword).map { "\(keyword)=\($0)" } }
            .joined(separator: " ")
    }

    /// Contains only `description`, so that `dump` and test failures do not print the password.
    package var customMirror: Mirror {
        Mirror(self, children: ["settings": description])
    }
}
