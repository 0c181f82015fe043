import PrivateCluster

extension Settings {
    /// The environment in which the programs of PostgreSQL are searched. The setting `postgres_bin` overrides the
    /// variable, because it can also come from a file.
    var postgresEnvironment: [String: String] {
        var environment = PostgresBinaries.currentEnvironment()
        if let postgresBin { environment[Setting.postgresBin.variable] = postgresBin }
        return environment
    }
}
