-- |
-- Module      : Ashlar.Schema.Internal.Fingerprint
-- Description : 128 bits for a format
module Ashlar.Schema.Internal.Fingerprint
  ( schemaFingerprint,
    essence,
  )
where

import Ashlar.Codec (encode)
import Ashlar.Schema.Internal.Schema
import Ashlar.Schema.Internal.Types
import Ashlar.Schema.Internal.Unwrap
import qualified Data.ByteString.Unsafe as B
import qualified Data.IntMap.Strict as IM
import qualified Data.Text as T
import qualified Data.Vector as V
import Foreign.Ptr (castPtr)
import GHC.Fingerprint (Fingerprint, fingerprintData)
import System.IO.Unsafe (unsafePerformIO)

-- | The MD5 of the bytes of the 'essence'. It tells apart formats that differ by accident. An
-- attacker can find two schemas with one fingerprint, so bytes with the right fingerprint are
-- untrusted input like all others.
schemaFingerprint :: Schema -> Fingerprint
schemaFingerprint s = unsafePerformIO $
  B.unsafeUseAsCStringLen (encode (essence s)) $ \(p, n) -> fingerprintData (castPtr p) n
{-# NOINLINE schemaFingerprint #-}

-- | The part of a schema that decides about the bytes and about evolution. Newtypes are what they
-- wrap ('unwrapping'), types have no names, and no order of values is known. The names of
-- constructors and fields stay.
essence :: Schema -> Schema
essence s = Schema (bare (schemaRoot s)) (V.fromList (map (simplified . (definitions V.!)) visited))
  where
    definitions = schemaDefinitions s
    known = unwrapping s
    simplified d =
      (overShapes bare d) {definitionName = T.empty, definitionOrder = Unordered}
    bare = renumbered . unwrapped known
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
