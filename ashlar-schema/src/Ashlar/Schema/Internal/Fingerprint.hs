-- |
-- Module      : Ashlar.Schema.Internal.Fingerprint
-- Description : 128 bits for a format
module Ashlar.Schema.Internal.Fingerprint
  ( schemaFingerprint,
    sameFingerprint,
    essence,
  )
where

import Ashlar.Codec (encodeLazy)
import Ashlar.Schema.Internal.EssenceSize
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Unsafe as B
import qualified Data.IntMap.Strict as IM
import qualified Data.Text as T
import qualified Data.Vector as V
import Data.Word (Word8)
import Foreign.C.Types (CChar, CInt (..))
import Foreign.Marshal.Alloc (allocaBytes)
import Foreign.Ptr (Ptr, castPtr)
import Foreign.Storable (peek)
import GHC.Fingerprint (Fingerprint)
import System.IO.Unsafe (unsafePerformIO)

-- | The MD5 of the bytes of the 'essence'. It tells apart formats that differ by accident. An
-- attacker can find two schemas with one fingerprint, so bytes with the right fingerprint are
-- untrusted input like all others.
--
-- The essence may have many more bytes than the schema: 'checkSchema' allows 1 GiB. They are hashed
-- in pieces, and are never in memory together.
schemaFingerprint :: Schema -> Fingerprint
schemaFingerprint s = unsafePerformIO $
  allocaBytes 88 $ \context -> allocaBytes 16 $ \digest -> do
    md5Init context
    mapM_ (update context) (L.toChunks (encodeLazy (essence s)))
    md5Final digest context
    peek (castPtr digest)
  where
    update context chunk =
      B.unsafeUseAsCStringLen chunk (\(p, n) -> md5Update context p (fromIntegral n))
{-# NOINLINE schemaFingerprint #-}

-- | Have both schemas the same fingerprint? If their essences have different sizes, none is hashed.
sameFingerprint :: Schema -> Schema -> Bool
sameFingerprint a b = sizeOf a == sizeOf b && schemaFingerprint a == schemaFingerprint b
  where
    sizeOf s = essenceSize (schemaRoot s) (schemaDefinitions s)

-- The state of an MD5: 88 bytes.
data Context

-- (Those of base, behind 'GHC.Fingerprint.fingerprintData'.)
foreign import ccall unsafe "__hsbase_MD5Init" md5Init :: Ptr Context -> IO ()

foreign import ccall unsafe "__hsbase_MD5Update"
  md5Update :: Ptr Context -> Ptr CChar -> CInt -> IO ()

foreign import ccall unsafe "__hsbase_MD5Final" md5Final :: Ptr Word8 -> Ptr Context -> IO ()

-- | The part of a schema that decides about the bytes and about evolution. Newtypes are what they
-- wrap ('unwrapping'), types have no names, and no order of values is known. The names of
-- constructors and fields stay.
essence :: Schema -> Schema
essence s = Schema (bare (schemaRoot s)) (V.fromList (map (simplified . (definitions V.!)) visited))
  where
    definitions = schemaDefinitions s
    known = unwrapping definitions
    -- A newtype is one shape, wherever it is used.
    shared = V.map renumbered known
    simplified d =
      (overShapes bare d) {definitionName = T.empty, definitionOrder = Unordered}
    bare = unwrapped shared
    renumbered shape = case shape of
      Reference i -> Reference (IM.findWithDefault i i numbers)
      _ -> mapShapes renumbered shape
    -- The definitions that are left, in the order of the first visit.
    numbers = IM.fromList (zip visited [0 ..])
    visited = reverse (fst (go ([], IM.empty) [unwrapped known (schemaRoot s)]))
    go done@(order, seen) shapes = case shapes of
      [] -> done
      Reference i : rest
        | IM.member i seen -> go done rest
        | otherwise ->
          go
            (i : order, IM.insert i () seen)
            (map (unwrapped known) (fieldShapes (definitions V.! i)) ++ rest)
      shape : rest -> go done (shapesIn shape ++ rest)
