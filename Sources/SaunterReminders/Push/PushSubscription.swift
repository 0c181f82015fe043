import Crypto
import Foundation
import SaunterCore

/// How to reach one device of a participant by Web Push: the content of the browser's `PushSubscription`.
package struct PushSubscription: Sendable, Hashable {
    /// The push service's URL for this device. It is a secret, because anyone who has it can try to send messages.
    package let endpoint: OutboundURL
    /// The device's P-256 key, uncompressed: 65 bytes.
    package let publicKey: [UInt8]
    /// The secret that device and sender share: 16 bytes.
    package let secret: [UInt8]

    /// Reads `{endpoint, keys: {p256dh, auth}}`.
    /// - Throws: all faults at once, each with its JSON pointer in the body.
    package init(_ body: JSON, policy: OutboundPolicy) throws(Faults) {
        var faults: [Fault] = []
        func bytes(_ name: String, _ count: Int) -> [UInt8]? {
            let text = body["keys"]?[name]?.string?.trimmingSuffix { $0 == "=" } ?? ""
            guard let data = Data(base64URL: String(text)), data.count == count else {
                faults.append(
                    Fault(
                        pointer: "/keys/\(name)", code: "wrong_format",
                        detail: "It must be \(count) bytes in base64url."))
                return nil
            }
            return Array(data)
        }
        let endpoint = body["endpoint"]?.string.flatMap { OutboundURL($0) }
        if let endpoint {
            if !policy.mayAllow(endpoint) {
                faults.append(
                    Fault(
                        pointer: "/endpoint", code: "address_refused",
                        detail: "This server does not call that address."))
            }
        } else {
            faults.append(
                Fault(
                    pointer: "/endpoint", code: "wrong_format",
                    detail: "It must be an https URL of at most \(OutboundURL.maximumBytes) bytes."))
        }
        let point = bytes("p256dh", 65)
        if let point, (try? P256.KeyAgreement.PublicKey(x963Representation: point)) == nil {
            faults.append(
                Fault(
                    pointer: "/keys/p256dh", code: "wrong_format",
                    detail: "It must be an uncompressed point of the curve P-256."))
        }
        let secret = bytes("auth", 16)
        guard faults.isEmpty, let endpoint, let point, let secret else { throw Faults(faults) }
        self.endpoint = endpoint
        publicKey = point
        self.secret = secret
    }

    /// The stored format. `init` reads it again.
    package var json: JSON {
        [
            "endpoint": .string(endpoint.text),
            "keys": [
                "p256dh": .string(Data(publicKey).base64URL), "auth": .string(Data(secret).base64URL),
            ],
        ]
    }
}

extension String {
    fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
        var remainder = self[...]
        while let last = remainder.last, predicate(last) { remainder = remainder.dropLast() }
        return remainder
    }
}
