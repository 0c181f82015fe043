import SaunterCore

/// `README.md` of a dataset, from the template beside the loaders.
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
        let places = [
            "{{title}}": title, "{{study}}": study.code, "{{files}}": table,
            "{{profile}}": snapshot.profile.rawValue, "{{measures}}": measures,
        ]
        let template = String(decoding: PackageResources.dataset_readme_md, as: UTF8.self)
        return Array(filled(template, places).utf8)
    }

    /// Each place is filled once, so that a title with braces in it stays what it is.
    private static func filled(_ template: String, _ places: [String: String]) -> String {
        var text = ""
        var rest = template[...]
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}")
        {
            let name = String(rest[start.lowerBound..<end.upperBound])
            text += rest[..<start.lowerBound] + (places[name] ?? name)
            rest = rest[end.upperBound...]
        }
        return text + rest
    }
}
