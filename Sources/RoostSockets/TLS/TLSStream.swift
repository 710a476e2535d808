// SPDX-License-Identifier: Apache-2.0

internal import CRoostTLS

// OpenSSL between two memory buffers: bytes from the network go into `incoming`, bytes for the
// network come out of `outgoing`. The stream has no descriptor, so tests and the loop use it alike,
// and no call blocks.

/// A TLS connection as a machine: bytes in, bytes out, no I/O.
///
/// After each call the owner sends the result of `takeOutput`, also after a call that threw: it
/// contains the alert with the reason. Not thread-safe; the owner confines it.
@safe final class TLSStream {
    private let connection: OpaquePointer
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let peerName: String
    private(set) var isEstablished = false
    private(set) var hasPeerSaidGoodbye = false

    /// Creates one end.
    ///
    /// - Parameters:
    ///   - context: A context for servers or clients, which decides which end this is.
    ///   - serverName: On a client, the name or address that the certificate must have.
    /// - Throws: `.tlsFailure` if OpenSSL has no memory, or `serverName` is no name.
    init(_ context: TLSContext, serverName: String?) throws(SocketError) {
        // SAFETY: plain constructors. `SSL_set_bio` passes both buffers to the connection, which
        // frees them; OpenSSL copies the names, and frees nothing for a missing pointer.
        let newConnection = unsafe SSL_new(context.handle)
        let newIncoming = unsafe BIO_new(BIO_s_mem())
        let newOutgoing = unsafe BIO_new(BIO_s_mem())
        guard let connection = unsafe newConnection, let incoming = unsafe newIncoming,
            let outgoing = unsafe newOutgoing
        else {
            unsafe SSL_free(newConnection)
            unsafe BIO_free(newIncoming)
            unsafe BIO_free(newOutgoing)
            throw SocketError(.tlsFailure, "OpenSSL is out of memory.")
        }
        unsafe SSL_set_bio(connection, incoming, outgoing)
        unsafe self.connection = unsafe connection
        unsafe self.incoming = unsafe incoming
        unsafe self.outgoing = unsafe outgoing
        peerName = serverName ?? "the client"
        if context.isServer {
            unsafe SSL_set_accept_state(connection)
            return
        }
        unsafe SSL_set_connect_state(connection)
        guard let serverName else { return }
        // An address is verified but not announced; a name is verified and announced.
        if unsafe roost_tls_expect_address(connection, serverName) == 1 { return }
        guard unsafe SSL_set1_host(connection, serverName) == 1,
            unsafe roost_tls_set_server_name(connection, serverName) == 1
        else {
            throw SocketError(.tlsFailure, "\(serverName) is not a host name TLS can check.")
        }
    }

    deinit {
        // SAFETY: frees the connection and both buffers.
        unsafe SSL_free(connection)
    }

    /// Processes bytes of the network, continues the handshake, and returns the decrypted bytes.
    ///
    /// - Throws: `.untrusted` or `.tlsFailure`; the connection cannot be used afterwards.
    func receive(_ bytes: [UInt8]) throws(SocketError) -> [UInt8] {
        // SAFETY: the array is valid during the call, which copies it.
        ERR_clear_error()
        if !bytes.isEmpty {
            let taken = unsafe bytes.withUnsafeBytes {
                unsafe BIO_write(incoming, $0.baseAddress, CInt($0.count))
            }
            guard taken == bytes.count else {
                throw SocketError(.tlsFailure, "OpenSSL is out of memory.")
            }
        }
        guard try shakeHands() else { return [] }
        return try readPlain()
    }

    private func shakeHands() throws(SocketError) -> Bool {
        guard !isEstablished else { return true }
        // SAFETY: the connection is open.
        let result = unsafe SSL_do_handshake(connection)
        if result == 1 {
            isEstablished = true
            return true
        }
        guard unsafe SSL_get_error(connection, result) == SSL_ERROR_WANT_READ else {
            throw handshakeError()
        }
        return false
    }

    private func readPlain() throws(SocketError) -> [UInt8] {
        var plain: [UInt8] = []
        while true {
            // SAFETY: OpenSSL writes at most `capacity` bytes and returns their number.
            var result: CInt = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                result = unsafe SSL_read(connection, buffer.baseAddress, CInt(buffer.count))
                count = max(0, Int(result))
            }
            guard chunk.isEmpty else {
                plain += chunk
                continue
            }
            switch unsafe SSL_get_error(connection, result) {
            case SSL_ERROR_ZERO_RETURN: hasPeerSaidGoodbye = true
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: break
            default:
                throw SocketError(
                    .tlsFailure,
                    "The TLS connection to \(peerName) broke (\(openSSLReason())); connect again.")
            }
            return plain
        }
    }

    /// Encrypts bytes for the peer.
    ///
    /// - Precondition: The connection is established.
    func send(_ bytes: [UInt8]) throws(SocketError) {
        precondition(isEstablished, "Bytes were sent before the TLS handshake was over.")
        guard !bytes.isEmpty else { return }
        // SAFETY: the array is valid during the call; a memory buffer always takes everything.
        ERR_clear_error()
        let written = unsafe bytes.withUnsafeBytes {
            unsafe SSL_write(connection, $0.baseAddress, CInt($0.count))
        }
        guard written == bytes.count else {
            throw SocketError(
                .tlsFailure,
                "The TLS connection to \(peerName) broke (\(openSSLReason())); connect again.")
        }
    }

    /// Queues the close alert, so that the peer can tell the end from a cut.
    func sayGoodbye() {
        guard isEstablished else { return }
        // SAFETY: the connection is open.
        ERR_clear_error()
        unsafe SSL_shutdown(connection)
    }

    /// Returns and removes the bytes for the network.
    func takeOutput() -> [UInt8] {
        // SAFETY: the buffer reports its size, and the array has room for it.
        let pending = unsafe BIO_ctrl_pending(outgoing)
        guard pending > 0 else { return [] }
        return unsafe [UInt8](unsafeUninitializedCapacity: pending) { buffer, count in
            count = unsafe max(0, Int(BIO_read(outgoing, buffer.baseAddress, CInt(pending))))
        }
    }

    private func handshakeError() -> SocketError {
        // SAFETY: the connection is open; the description is a static string.
        let verdict = unsafe SSL_get_verify_result(connection)
        let reason = openSSLReason()
        guard verdict != CLong(X509_V_OK) else {
            return SocketError(
                .tlsFailure,
                "No TLS connection to \(peerName) (\(reason)); check that it speaks TLS 1.2 or later."
            )
        }
        let why = unsafe X509_verify_cert_error_string(verdict).map { unsafe String(cString: $0) }
        return SocketError(
            .untrusted,
            "The certificate of \(peerName) is not trusted (\(why ?? reason)); check the name, or "
                + "give the authority that signed it.")
    }
}
