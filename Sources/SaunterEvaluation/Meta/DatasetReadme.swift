import SaunterCore

/// The `README.md` of a dataset, made from the template `Loaders/dataset_readme.md`.
enum DatasetReadme {
    static func text(of snapshot: DatasetSnapshot, tables: [Table]) -> [UInt8] {
        let definitions = snapshot.definitions
        let study = definitions.newest
        let title =
            study.text["en"]?.title ?? study.languages.first.flatMap { study.text[$0]?.title } ?? study.code
        let rows = tables.map { table in
            let files = table.formats.map { "`\(table.path($0))`" }.joined(separator: ", ")
            let key = table.key.map { "`\($0)`" }.joined(separator: ", ")
            return "| \(files) | \(table.title) | \(key) |"
        }
        let table = "| file | rows | key |\n|---|---|---|\n" + rows.joined(separator: "\n")
        let measures = snapshot.profile.measures.map { "- \($0)" }.joined(separator: "\n")
        let values = [
            "{{title}}": title, "{{study}}": study.code, "{{files}}": table,
            "{{profile}}": snapshot.profile.rawValue, "{{measures}}": measures,
        ]
        let template = String(decoding: PackageResources.dataset_readme_md, as: UTF8.self)
        return Array(filled(template, values).utf8)
    }

    /// Replaces each placeholder once, so that a title with braces is not changed.
    private static func filled(_ template: String, _ values: [String: String]) -> String {
        var text = ""
        var rest = template[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}")
        {
            let name = String(rest[start.lowerBound..<end.upperBound])
            text += rest[..<start.lowerBound] + (values[name] ?? name)
            rest = rest[end.upperBound...]
        }
        return text + rest
    }
}
