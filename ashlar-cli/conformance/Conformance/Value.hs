{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Conformance.Value
-- Description : What is read of some bytes
module Conformance.Value
  ( valueCase,
    outcome,
    leaf,
    plain,
    typed,
    shaped,
    hexed,
    cutOff,
  )
where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec (encode)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Conformance.Case
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.Vector as V

-- | What these bytes are by a schema: a value, which is written as the same bytes, or refused.
valueCase :: String -> Schema -> ByteString -> Entry
valueCase name s bs =
  entry name $
    [ ("schema", bytes (encode s)),
      ("fingerprint", fingerprintOf (schemaFingerprint s)),
      ("bytes", bytes bs)
    ]
      ++ outcome name s bs

-- | The member that says what becomes of these bytes.
outcome :: String -> Schema -> ByteString -> [(String, Json)]
outcome name s bs = case (runGetWhole (getValue s) bs, runGetWhole (getJsonLine s) bs) of
  (Right value, Right json)
    | toStrictByteString (putValue value) == bs -> [("json", line json)]
    | otherwise -> error (name ++ " is written as other bytes")
  (Left e, Left e') | e == e' -> [("refused", refusal e)]
  _ -> error (name ++ ": values and lines of JSON differ")

-- | The schema of a shape without definitions.
plain :: Shape -> Schema
plain shape = Schema shape V.empty

-- | The schema of a leaf.
leaf :: Leaf -> Schema
leaf = plain . Leaf

-- | Values of a type, numbered.
typed :: forall a. Described a => String -> [a] -> [Entry]
typed name xs =
  [ valueCase (name ++ " " ++ show i) (schema @a) (encode x)
    | (i, x) <- zip [1 :: Int ..] xs
  ]

-- | Values without types.
shaped :: String -> Schema -> [(String, Value)] -> [Entry]
shaped name s values =
  [ valueCase (name ++ ", " ++ which) s (toStrictByteString (putValue value))
    | (which, value) <- values
  ]

-- | Bytes in hexadecimal.
hexed :: String -> Schema -> [(String, String)] -> [Entry]
hexed name s found = [valueCase (name ++ ", " ++ which) s (hex digits) | (which, digits) <- found]

-- | Some bytes, cut off everywhere.
cutOff :: String -> Schema -> ByteString -> [Entry]
cutOff name s bs =
  [ valueCase (name ++ ", the first " ++ show n ++ " bytes") s (B.take n bs)
    | n <- [0 .. B.length bs - 1]
  ]
