import SaunterCore
import Yams

/// Writes the programmes of a library as the files that `ProgrammeParser` reads. The same programmes always give the
/// same bytes.
package enum ProgrammeWriter {
    /// The files by their names in the folder `library`: `programmes.yaml`, and `programmes.<language>.yaml` for each
    /// language. Words in other languages are left out. Comments of earlier files are not kept.
    /// - Parameters:
    ///   - languages: the languages of the study.
    ///   - pictures: code of the programme -> path of its picture in the folder, such as `media/control.png`. The
    ///     member `picture` of a programme is not used, because it does not know its path.
    package static func files(
        _ programmes: [Programme], languages: [String], pictures: [String: String]
    ) -> [String: String] {
        var files = [
            "\(ProgrammeParser.name).yaml": structure(programmes, pictures)
        ]
        for language in languages {
            files["\(ProgrammeParser.name).\(language).yaml"] = words(of: programmes, in: language)
        }
        return files
    }

    private static func structure(_ programmes: [Programme], _ pictures: [String: String]) -> String {
        guard !programmes.isEmpty else { return "\(ProgrammeParser.name): []\n" }
        var lines = ["\(ProgrammeParser.name):"]
        for programme in programmes {
            lines.append("  - code: \(scalar(programme.code))")
            if let picture = pictures[programme.code] { lines.append("    picture: \(scalar(picture))") }
            if !programme.authors.isEmpty { lines.append("    authors: \(list(programme.authors))") }
            lines.append("    modules: \(list(programme.modules))")
            if programme.isWithdrawn { lines.append("    withdrawn: true") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func words(of programmes: [Programme], in language: String) -> String {
        var lines: [String] = []
        for programme in programmes {
            guard let text = programme.text[language] else { continue }
            lines.append("\(scalar(programme.code)):")
            lines.append("  title: \(scalar(text.title))")
            if let subtitle = text.subtitle { lines.append("  subtitle: \(scalar(subtitle))") }
            if let introduction = text.introduction {
                lines.append("  introduction: \(scalar(introduction, indent: 4))")
            }
        }
        return lines.isEmpty ? "{}\n" : lines.joined(separator: "\n") + "\n"
    }

    private static func list(_ texts: [String]) -> String {
        "[\(texts.map { scalar($0, isFlow: true) }.joined(separator: ", "))]"
    }

    /// A text, in quotes or as a block if necessary. The character U+0000, which no pack can contain, is left out.
    private static func scalar(_ text: String, isFlow: Bool = false, indent: Int = 0) -> String {
        let text = text.withPlainLineEnds.replacing("\u{0}", with: "")
        guard let scalar = try? YAMLScalarText(.string(text)) else { return "\"\"" }
        // Without an indentation a text of several lines is written in quotes.
        let style: Node.Scalar.Style = indent == 0 && text.contains("\n") ? .doubleQuoted : .plain
        return scalar.written(like: style, isFlow: isFlow, indent: indent, lineEnd: "\n")
    }
}
