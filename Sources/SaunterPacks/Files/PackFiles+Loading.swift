import Foundation
import SaunterCore

extension PackFiles {
    /// The maximum number of files.
    package static let maximumFiles = 1000
    /// The maximum size of all files together: 32 MiB. Media files of more than 1 MiB do not count here.
    package static let maximumTotalBytes = 32 << 20
    /// The maximum size of all media files of more than 1 MiB together: 1 GiB.
    package static let maximumMediaBytes = 1 << 30

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

    /// The bytes of a medium of a library of which `load` returned only a reference.
    /// - Parameter directory: the folder of the study.
    /// - Throws: a fault if the file has changed or cannot be read.
    package static func load(
        _ media: ContentMedia, at path: String, directory: String
    ) throws(PackFault) -> [UInt8] {
        func fault(_ message: String) -> PackFault { PackFault(file: path, line: 1, message: message) }
        guard let location = PackLocation(directory: directory) else {
            throw fault("the folder of the study does not exist any more")
        }
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: location.root.appending(path: path)))
        } catch {
            throw fault("the file cannot be read: \(error.localizedDescription)")
        }
        guard ContentMedia(bytes) == media else { throw fault("the file has changed while it was read") }
        return bytes
    }

    /// The form in which `files` contains a file. If it is a reference, the caller stores the bytes.
    /// - Throws: if the file is too large, if a text is not UTF-8, or if a medium is not what its name claims.
    package static func content(of path: String, _ data: Data) throws(PackFault) -> String {
        func fault(_ message: String) -> PackFault { PackFault(file: path, line: 1, message: message) }
        let limit = PackPath.maximumBytes(path)
        guard data.count <= limit else { throw fault("larger than \(limit >> 20) MiB") }
        guard !PackPath.isMedia(path) else {
            let media: ContentMedia
            do throws(MediaInspection.Fault) {
                media = try ContentMedia(inspecting: [UInt8](data), name: path)
            } catch {
                throw fault(error.words)
            }
            return data.count > maximumFileBytes ? reference(to: media) : encoded(data)
        }
        guard let text = String(validating: data, as: UTF8.self) else { throw fault("not UTF-8") }
        return text
    }

    /// The bytes of a file as it is on disk.
    package func bytes(_ path: String) -> [UInt8]? {
        PackPath.isMedia(path) ? media(path) : files[path].map { Array($0.utf8) }
    }

    /// The size of a file on disk, without decoding it.
    package func byteCount(_ path: String) -> Int {
        guard let text = files[path] else { return 0 }
        if let media = reference(at: path) { return media.byteCount }
        guard PackPath.isMedia(path), text.hasPrefix(Self.encodedPrefix) else { return text.utf8.count }
        let digits = text.utf8.count - Self.encodedPrefix.utf8.count
        let padding = text.utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
        return digits / 4 * 3 - min(padding, digits)
    }

    /// Only the files of a study and of the instrument versions that it names.
    package func limited(toStudy code: String) -> PackFiles {
        let folders = ["studies/\(code)/"] + StudyReferences.folders(of: code, in: self)
        return PackFiles(files: files.filter { file in folders.contains { file.key.hasPrefix($0) } })
    }

    /// What prevents that these files are stored: too many files or bytes, and texts that the database cannot contain.
    package var storageFaults: [PackFault] {
        var faults: [PackFault] = files.compactMap { path, text in
            guard let zero = text.utf8.firstIndex(of: 0) else { return nil }
            let line = 1 + text.utf8[..<zero].count { $0 == UInt8(ascii: "\n") }
            return PackFault(file: path, line: line, message: "the character U+0000 cannot be stored")
        }
        if files.count > Self.maximumFiles {
            faults.append(
                PackFault(file: "", line: 1, message: "more than \(Self.maximumFiles) files"))
        }
        let large = references
        if files.keys.reduce(0, { $0 + (large[$1] == nil ? byteCount($1) : 0) }) > Self.maximumTotalBytes {
            faults.append(PackFault(file: "", line: 1, message: "the pack is larger than 32 MiB"))
        }
        if large.values.reduce(0, { $0 + $1.byteCount }) > Self.maximumMediaBytes {
            faults.append(PackFault(file: "", line: 1, message: "the media are larger than 1 GiB"))
        }
        return faults.sorted()
    }

    /// The files that have been read, and the faults of the others.
    private struct Loading {
        let root: URL
        var files: [String: String] = [:]
        var faults: [PackFault] = []
        private var bytes = 0
        private var mediaBytes = 0

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
            let limit = PackPath.maximumBytes(path)
            let data: Data
            do {
                let handle = try FileHandle(forReadingFrom: url)
                // The file was only read, so an error while it is closed loses nothing.
                defer { try? handle.close() }
                data = try handle.read(upToCount: limit + 1) ?? Data()
            } catch {
                return note(path, "the file cannot be read: \(error.localizedDescription)")
            }
            guard data.count <= limit else { return note(path, "larger than \(limit >> 20) MiB") }
            if data.count > PackFiles.maximumFileBytes {
                mediaBytes += data.count
            } else {
                bytes += data.count
            }
            guard bytes <= maximumTotalBytes else { return note(path, "the pack is larger than 32 MiB") }
            guard mediaBytes <= maximumMediaBytes else {
                return note(path, "the media are larger than 1 GiB")
            }
            do {
                files[path] = try PackFiles.content(of: path, data)
            } catch {
                note(path, error.message)
            }
        }

        private mutating func note(_ path: String, _ message: String) {
            faults.append(PackFault(file: path, line: 1, message: message))
        }
    }
}
