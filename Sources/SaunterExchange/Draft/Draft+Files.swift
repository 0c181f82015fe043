import SaunterCore
import SaunterPacks

extension Draft {
    /// The finished instrument; read once more as a pack, so that what is handed out is sound.
    /// - Parameters:
    ///   - format: what it was, as `SOURCE.md` says it.
    ///   - root, kept: what stands under keys that begin with `x-`.
    func instrument(
        format: String, root: [String: JSON], kept: [String: [String: JSON]]
    ) throws(ImportRefusal) -> ImportedInstrument {
        let writer = PackWriter(questionnaire: questionnaire, root: root, kept: kept)
        let files = writer.files(source: source(format))
        do throws(PackFaults) {
            let pack = PackFiles(files: files)
            let read = try InstrumentPack.read(
                pack, code: questionnaire.code, version: questionnaire.version)
            return ImportedInstrument(questionnaire: read.questionnaire, files: files, remarks: remarks)
        } catch {
            throw ImportRefusal(place: place, detail: error.list[0].message)
        }
    }

    private func source(_ format: String) -> String {
        let title = questionnaire.text(in: questionnaire.languages.first ?? "en").title
        var lines = [
            "# \(title.split(whereSeparator: \.isNewline).joined(separator: " "))", "",
            "Imported from \(format). Rights: \(questionnaire.copyright ?? "not stated in the file"). "
                + "The key, where there is one, is not imported.", "",
        ]
        if !remarks.isEmpty {
            lines += ["What is kept without effect, or asked in another way:", ""]
            lines += remarks.map { "- \($0.text.split(whereSeparator: \.isNewline).joined(separator: " "))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
