import SaunterCore

/// The `README.md` of a dataset, made from the template `Loaders/dataset_readme.md`.
enum DatasetReadme {
    static func text(of snapshot: DatasetSnapshot, tables: [Table]) -> [UInt8] {
        let definitions = snapshot.definitions
        let study = definitions.newest
        let title = definitions.studyText?.title ?? study.code
        let rows = tables.map { table in
            let files = table.formats.map { "`\(table.path($0))`" }.joined(separator: ", ")
            let key = table.key.map { "`\($0)`" }.joined(separator: ", ")
            return "| \(files) | \(table.title) | \(key) |"
        }
        let table = "| file | rows | key |\n|---|---|---|\n" + rows.joined(separator: "\n")
        let measures = snapshot.profile.measures(of: definitions).map { "- \($0)" }.joined(separator: "\n")
        let values = [
            "{{title}}": title, "{{study}}": study.code, "{{files}}": table,
            "{{profile}}": snapshot.profile.rawValue, "{{measures}}": measures,
            "{{as_of}}": snapshot.asOf.description,
            "{{limits}}": DatasetRestoration.limits.map { "- \($0)" }.joined(separator: "\n"),
        ]
        let template = String(decoding: PackageResources.dataset_readme_md, as: UTF8.self)
        let names = tables.map(\.name) + (snapshot.isPast ? ["as_of"] : [])
        return Array(filled(selected(template, names), values).utf8)
    }

    /// Keeps the lines between `{{if name}}` and `{{end}}` only if the dataset has a table of this name, or one whose
    /// name begins with it if it ends with an underscore. The name `as_of` holds if the request named the instant.
    private static func selected(_ template: String, _ tables: [String]) -> String {
        // For each open condition, whether it holds.
        var conditions: [Bool] = []
        var lines: [Substring] = []
        for line in template.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("{{if ") {
                let name = line.dropFirst("{{if ".count).dropLast("}}".count)
                conditions.append(
                    tables.contains { $0 == name || name.hasSuffix("_") && $0.hasPrefix(name) })
            } else if line == "{{end}}" {
                conditions.removeLast()
            } else if conditions.allSatisfy(\.self) {
                lines.append(line)
            }
        }
        return lines.joined(separator: "\n")
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
