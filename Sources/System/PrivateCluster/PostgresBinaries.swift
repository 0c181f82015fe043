import Glibc

/// A directory with PostgreSQL's programs, and their version.
package struct PostgresBinaries: Sendable, Hashable {
    /// The path of the directory with `initdb` and `postgres`.
    package let directory: String
    /// The major version, for example 15.
    package let major: Int

    /// All usable versions, one directory each, newest first. The list is never empty.
    ///
    /// If `SAUNTER_POSTGRES_BIN` is set, only that directory is searched. Otherwise every `/usr/lib/postgresql/*/bin`
    /// (Debian's layout) and the directories of `PATH` are searched.
    package static func find(
        environment: [String: String] = currentEnvironment(), root: String = "/usr/lib/postgresql"
    ) async throws(ClusterFault) -> [PostgresBinaries] {
        if let named = environment["SAUNTER_POSTGRES_BIN"], !named.isEmpty {
            return [try await probe(named)]
        }
        let directories = children(of: root).map { "\(root)/\($0)/bin" }
        let search = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        var found: [PostgresBinaries] = []
        for directory in directories + search.filter({ $0.hasPrefix("/") }) where hasServer(directory) {
            // A broken installation must not hide a working one.
            guard let binaries = try? await probe(directory) else { continue }
            if !found.contains(where: { $0.major == binaries.major }) { found.append(binaries) }
        }
        guard !found.isEmpty else { throw .binariesMissing(searched: ["\(root)/*/bin", "PATH"]) }
        return found.sorted { $0.major > $1.major }
    }

    /// The programs of the major version `data`, if they were found. Otherwise the newest programs.
    package static func choose(from found: [PostgresBinaries], data: Int?) -> PostgresBinaries? {
        found.first { $0.major == data } ?? found.first
    }

    /// A program of this directory.
    package func program(_ name: String, _ arguments: [String]) -> Program {
        Program(name, arguments, in: directory)
    }

    /// The major version in the output of `postgres --version`, for example 15 for
    /// "postgres (PostgreSQL) 15.14 (Debian …)" and 17 for "postgres (PostgreSQL) 17devel".
    static func major(of version: String) -> Int? {
        guard let mark = version.firstRange(of: "(PostgreSQL) ") else { return nil }
        return Int(version[mark.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }

    private static func probe(_ directory: String) async throws(ClusterFault) -> PostgresBinaries {
        guard directory.hasPrefix("/"), !directory.contains(":"), !directory.contains("\0") else {
            throw .binariesUnusable(directory: directory, reason: "not an absolute path")
        }
        for name in ["postgres", "initdb"] where access("\(directory)/\(name)", X_OK) != 0 {
            throw .binariesUnusable(directory: directory, reason: "there is no program \(name)")
        }
        let version = try await Program("postgres", ["--version"], in: directory).runOrThrow()
        guard let major = major(of: version) else {
            throw .binariesUnusable(
                directory: directory,
                reason: "the output of postgres --version is \"\(version.trimmingSpaces())\"")
        }
        return PostgresBinaries(directory: directory, major: major)
    }

    private static func hasServer(_ directory: String) -> Bool {
        access("\(directory)/postgres", X_OK) == 0 && access("\(directory)/initdb", X_OK) == 0
    }

    /// The variables of this process's environment that `find` reads.
    package static func currentEnvironment() -> [String: String] {
        var values: [String: String] = [:]
        for name in ["SAUNTER_POSTGRES_BIN", "PATH"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values
    }
}
