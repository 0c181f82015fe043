import Foundation

extension PackFiles {
    private static let maximumFiles = 1000
    private static let maximumTotalBytes = 32 << 20

    /// Reads the folder of a study (`…/studies/<code>`) with all instrument versions that it names, or the folder of
    /// one instrument version (`…/instruments/<code>/<version>`). A missing instrument is not a fault here: the parser
    /// reports it.
    /// - Throws: faults for links, for files that are not UTF-8, and for files and packs that are too large.
    package static func load(directory: String) throws(PackFaults) -> PackFiles {
        guard let location = PackLocation(directory: directory) else {
            throw PackFaults([
                PackFault(
                    file: directory, line: 1,
                    message: "expected a folder studies/<code> or instruments/<code>/<version>")
            ])
        }
        var loading = Loading(root: location.root)
        loading.add(location.folder)
        if case .study(let code) = location.kind {
            for folder in StudyReferences.folders(of: code, in: PackFiles(files: loading.files)) {
                loading.add(folder)
            }
        }
        guard loading.faults.isEmpty else { throw PackFaults(loading.faults) }
        return PackFiles(files: loading.files)
    }

    /// The files that have been read, and the faults of the others.
    private struct Loading {
        let root: URL
        var files: [String: String] = [:]
        var faults: [PackFault] = []
        private var bytes = 0

        init(root: URL) {
            self.root = root
        }

        /// Reads all files in a folder and its subfolders. Hidden files are ignored.
        /// - Parameter folder: ends with `/`.
        mutating func add(_ folder: String) {
            let names: [String]
            do {
                names = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
                    .sorted()
            } catch CocoaError.fileReadNoSuchFile, CocoaError.fileNoSuchFile {
                return
            } catch {
                return note(folder, "the folder cannot be read")
            }
            for name in names where !name.hasPrefix(".") {
                let path = folder + name
                guard files.count < maximumFiles else {
                    return note(folder, "more than \(maximumFiles) files")
                }
                switch try? FileManager.default.attributesOfItem(atPath: root.appending(path: path).path)[
                    .type]
                {
                case FileAttributeType.typeDirectory as FileAttributeType:
                    path.utf8.count < 400 ? add(path + "/") : note(path, "nested too deeply")
                case FileAttributeType.typeRegular as FileAttributeType: read(path)
                default: note(path, "neither a file nor a folder; links are not followed")
                }
            }
        }

        private mutating func read(_ path: String) {
            let url = root.appending(path: path)
            guard let handle = try? FileHandle(forReadingFrom: url) else {
                return note(path, "the file cannot be read")
            }
            defer { try? handle.close() }
            guard let data = try? handle.read(upToCount: PackFiles.maximumFileBytes + 1) ?? Data() else {
                return note(path, "the file cannot be read")
            }
            bytes += data.count
            guard data.count <= PackFiles.maximumFileBytes else { return note(path, "larger than 1 MiB") }
            guard bytes <= maximumTotalBytes else { return note(path, "the pack is larger than 32 MiB") }
            if isMedia(path) {
                files[path] = PackFiles.encoded(data)
                return
            }
            guard let text = String(validating: data, as: UTF8.self) else { return note(path, "not UTF-8") }
            files[path] = text
        }

        /// Whether the file is in the folder `media` of a study, of its library or of an instrument version.
        private func isMedia(_ path: String) -> Bool {
            let parts = path.split(separator: "/")
            guard let folder = parts.dropLast().last, "\(folder)/" == PackPath.media else { return false }
            return parts.count == 4 && parts[0] == "studies" || parts.count == 5 && parts[0] == "instruments"
                || parts.count == 5 && parts[0] == "studies" && "\(parts[2])/" == PackPath.library
        }

        private mutating func note(_ path: String, _ message: String) {
            faults.append(PackFault(file: path, line: 1, message: message))
        }
    }
}
