import SaunterCore
import SaunterPacks
import SaunterStatisticsFiles

/// Writes the files of a dataset that do not contain rows: descriptions of columns and codes, loaders, and the
/// manifest.
struct DatasetMeta {
    let snapshot: DatasetSnapshot
    let tables: [Table]

    private var definitions: StudyDefinitions { snapshot.definitions }

    /// Writes the files in an order in which each file can describe the earlier ones. `SHA256SUMS` is the last file.
    func write(
        into target: inout DatasetDirectory, request: DatasetRequest, software: String
    ) throws -> DatasetManifest {
        try target.write(
            "meta/codebook.csv",
            Codebook(tables: tables, definitions: definitions, profile: snapshot.profile).csv, isTable: true)
        try target.write(
            "meta/ddi.xml",
            DDICodebook(tables: tables, snapshot: snapshot, files: target.files, software: software).xml)
        try target.write("meta/value_labels.csv", ValueLabels(definitions).csv, isTable: true)
        try target.write("meta/missing_codes.csv", MissingCodes.csv, isTable: true)
        try target.write("meta/scoring.csv", ScoringTable(definitions).csv, isTable: true)
        if definitions.hasVariables {
            try target.write(
                "meta/variables.csv",
                VariableDefinitions(definitions: definitions, profile: snapshot.profile).csv, isTable: true)
        }
        try target.write(
            "meta/redcap_data_dictionary.csv", REDCapDictionary(definitions: definitions).csv, isTable: true)
        for questionnaire in definitions.instruments.flatMap(\.versions) {
            try target.write(
                "meta/instruments/\(questionnaire.code)@\(questionnaire.version).json",
                IndentedJSON.bytes(questionnaire.json()))
        }
        for version in definitions.versions {
            for (path, text) in version.files.files.sorted(by: { $0.key < $1.key }) {
                try target.write("meta/study/\(version.version)/\(path)") { try $0.write(Array(text.utf8)) }
            }
        }
        // The files of an edition name arms, as those of a version do.
        for edition in definitions.editions where definitions.armNames == nil {
            let document: JSON = [
                "edition": .int(edition.edition), "digest": .string(edition.digest), "files": edition.files,
            ]
            try target.write("meta/library/\(edition.edition).json") {
                try $0.write(IndentedJSON.bytes(document))
            }
        }
        for (path, loader) in [
            ("load/load.R", PackageResources.load_R), ("load/load.py", PackageResources.load_py),
        ] {
            let text = String(decoding: loader, as: UTF8.self)
                .replacing("{{language}}", with: definitions.language)
            try target.write(path, Array(text.utf8))
        }
        let labels = CodeLabels(definitions: definitions)
        // Stata and SPSS cannot read Parquet.
        let csvTables = tables.filter { $0.formats.contains(.csv) }
        let statistics = csvTables.filter { !$0.hasDirectIdentifier }.map {
            StatisticsTable($0, in: csvTables, labels: labels)
        }
        try target.write("load/load.do", StataScript(tables: statistics).bytes)
        try target.write("load/load.sps", SPSSSyntax(tables: statistics).bytes)
        try target.write("README.md", DatasetReadme.text(of: snapshot, tables: tables))
        let package = DataPackage(snapshot: snapshot, tables: tables, files: target.files)
        try target.write("datapackage.json", IndentedJSON.bytes(package.json))
        let manifest = DatasetManifest(
            snapshot: snapshot, files: target.files, request: request, software: software)
        try target.write("manifest.json", IndentedJSON.bytes(manifest.json))
        let checksums = target.files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            .map { "\($0.sha256)  \($0.path)\n" }
        try target.write("SHA256SUMS", Array(checksums.joined().utf8))
        return manifest
    }
}
