import Foundation

extension UUID {
    /// Sorts before every other UUID: the start of an ascending list.
    static let first = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    /// Sorts after every other UUID: the start of a descending list.
    static let last = UUID(
        uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
}
