import CArchive
import Foundation

/// Writes a folder into a ZIP archive that depends only on the files: entries sorted by path below one folder name,
/// without times, owners or modes. The same files give the same archive.
package enum ZipArchive {
    private static let pieceSize = 1 << 18
    /// `AE_IFREG` of <archive_entry.h>, which Swift does not import.
    private static let regularFile: UInt32 = 0o100000

    /// - Parameters:
    ///   - directory: the folder with the files; symbolic links are not followed.
    ///   - folder: the name of the folder inside the archive.
    ///   - path: the path of the archive. The file gets this name after it is complete.
    ///   - isStopped: called before every piece; the archive is abandoned if it returns true.
    /// - Throws: `DatasetFault.fileInUse`, `DatasetFault.zip`, an error of the file system, or `CancellationError` if
    ///   it is stopped.
    package static func write(
        _ directory: String, as folder: String, to path: String, isStopped: () -> Bool = { false }
    ) throws {
        guard !FileManager.default.fileExists(atPath: path) else { throw DatasetFault.fileInUse(path) }
        let target = URL(filePath: path)
        let partial = target.deletingLastPathComponent().appending(
            path: ".\(target.lastPathComponent).partial")
        do {
            try write(directory, as: folder, partial: partial.path, isStopped)
            let handle = try FileHandle(forWritingTo: partial)
            try handle.synchronize()
            try handle.close()
            try FileManager.default.moveItem(at: partial, to: target)
        } catch {
            // The error is thrown. A file that cannot be removed keeps the name of a partial file.
            try? FileManager.default.removeItem(at: partial)
            throw error
        }
    }

    private static func write(
        _ directory: String, as folder: String, partial path: String, _ isStopped: () -> Bool
    ) throws {
        guard let archive = archive_write_new() else { throw DatasetFault.zip("there is not enough memory") }
        defer { archive_write_free(archive) }
        try check(archive_write_set_format_zip(archive), archive)
        try check(
            archive_write_set_options(
                archive, "zip:compression=deflate,zip:compression-level=6,zip:hdrcharset=UTF-8"), archive)
        try check(archive_write_open_filename(archive, path), archive)
        for file in try files(in: directory) {
            try add(directory + "/" + file, as: folder + "/" + file, to: archive, isStopped)
        }
        try check(archive_write_close(archive), archive)
    }

    /// The relative paths of all files in byte order.
    private static func files(in directory: String) throws -> [String] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
        return try names.filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
            return attributes[.type] as? FileAttributeType == .typeRegular
        }
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func add(
        _ file: String, as name: String, to archive: OpaquePointer, _ isStopped: () -> Bool
    ) throws {
        let handle = try FileHandle(forReadingFrom: URL(filePath: file))
        defer { try? handle.close() }
        guard let entry = archive_entry_new() else { throw DatasetFault.zip("there is not enough memory") }
        defer { archive_entry_free(entry) }
        archive_entry_set_pathname_utf8(entry, name)
        archive_entry_set_filetype(entry, regularFile)
        archive_entry_set_perm(entry, 0o644)
        archive_entry_set_size(entry, Int64(try handle.seekToEnd()))
        archive_entry_unset_mtime(entry)
        try handle.seek(toOffset: 0)
        try check(archive_write_header(archive, entry), archive)
        while let piece = try handle.read(upToCount: pieceSize), !piece.isEmpty {
            if isStopped() { throw CancellationError() }
            let written = piece.withUnsafeBytes { archive_write_data(archive, $0.baseAddress, $0.count) }
            guard written == piece.count else { throw fault(archive) }
        }
        try check(archive_write_finish_entry(archive), archive)
    }

    private static func check(_ status: Int32, _ archive: OpaquePointer) throws {
        guard status == ARCHIVE_OK else { throw fault(archive) }
    }

    private static func fault(_ archive: OpaquePointer) -> DatasetFault {
        .zip(archive_error_string(archive).map { String(cString: $0) } ?? "the library states no reason")
    }
}
