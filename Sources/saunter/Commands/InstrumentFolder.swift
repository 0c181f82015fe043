import Foundation
import SaunterExchange
import SaunterPacks

/// Writes the files of an instrument to disk.
enum InstrumentFolder {
    /// - Throws: `ImportError` if the folder exists, because a version never changes, or if a file cannot be written.
    ///   Then no part of the instrument is left.
    static func write(_ files: [String: String], into root: String, folder: String) throws(ImportError) {
        let base = URL(filePath: root, directoryHint: .isDirectory)
        let target = base.appending(path: folder)
        guard !FileManager.default.fileExists(atPath: target.path) else {
            throw ImportError(
                location: "", detail: "\(root)/\(folder) already exists; nothing was overwritten")
        }
        do {
            for (path, text) in files.sorted(by: { $0.key < $1.key }) {
                let url = base.appending(path: path)
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(text.utf8).write(to: url, options: .withoutOverwriting)
            }
        } catch {
            // If the removal fails too, the next import reports that the folder exists.
            try? FileManager.default.removeItem(at: target)
            throw ImportError(
                location: "",
                detail: "\(root)/\(folder) cannot be written: \(FileErrorMessage.text(error) ?? "\(error)")")
        }
    }
}
