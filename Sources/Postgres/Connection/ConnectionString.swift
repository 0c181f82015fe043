import CLibPQ

/// Where the database is and how to get in, in libpq's words: `host=/run/pg dbname=saunter`, or
/// `postgresql://user@first,second/saunter?target_session_attrs=read-write`. Lists of hosts are libpq's own.
package struct ConnectionString: Sendable, Hashable {
    /// One of libpq's settings with its value.
    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    private(set) var settings: [Setting]

    /// Refuses what libpq cannot read. The reason does not quote the text, which may hold a password.
    package init(_ text: String) throws(DatabaseError) {
        try CStrings.check(text, "the connection string")
        guard let options = unsafe PQconninfoParse(text, nil) else {
            let reason =
                "the connection string is neither `keyword=value …` nor `postgresql://…` with keywords of libpq"
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

    /// The value that the text itself gives; not libpq's defaults or environment variables.
    package func value(of keyword: String) -> String? {
        settings.first { $0.keyword == keyword }?.value
    }

    /// Whether the text lists more than one server.
    var namesSeveralHosts: Bool {
        ["host", "hostaddr"].contains { value(of: $0)?.contains(",") == true }
    }

    /// Whether of these hosts only the one that leads is connected to.
    var seeksLeader: Bool {
        namesSeveralHosts && ["read-write", "primary", nil].contains(value(of: "target_session_attrs"))
    }

    /// The same with a setting replaced or added. `keyword` must be one of libpq's.
    package func setting(_ keyword: String, to value: String) throws(DatabaseError) -> ConnectionString {
        try CStrings.check(keyword + value, "a connection setting")
        var copy = self
        copy.settings.removeAll { $0.keyword == keyword }
        copy.settings.append(Setting(keyword: keyword, value: value))
        return copy
    }

    /// The same with a setting added where the text gives none.
    func setting(_ keyword: String, unlessSetTo value: String) throws(DatabaseError) -> ConnectionString {
        self.value(of: keyword) == nil ? try setting(keyword, to: value) : self
    }
}

extension ConnectionString: CustomStringConvertible, CustomReflectable {
    /// Host, port, database and user: never the password.
    package var description: String {
        ["host", "port", "dbname", "user"]
            .compactMap { keyword in value(of: keyword).map { "\(keyword)=\($0)" } }
            .joined(separator: " ")
    }

    /// The same, so that `dump` and test failures do not print a password.
    package var customMirror: Mirror {
        Mirror(self, children: ["settings": description])
    }
}
