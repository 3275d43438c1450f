{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Conformance.Evolution
-- Description : What becomes of values of another schema
module Conformance.Evolution
  ( Rule (..),
    Edit (..),
    evolved,
    skipping,

    -- * Schemas
    of',
    record,
    variant,
    enumeration,
    field,
    wraps,
  )
where

import Ashlar.Codec (encode)
import Ashlar.Get (runGetWhole)
import Ashlar.Schema
import Ashlar.Schema.Evolution (describeMismatch)
import Ashlar.Schema.Internal.Edit
import Ashlar.Schema.Internal.Evolution.Plan
import Conformance.Case
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V

-- | What the evolution of the type with this name says.
data Rule = Rule Text Edit

-- | Values of the old schema, read as those of the new one.
evolved :: String -> Schema -> Schema -> [Rule] -> [String] -> Entry
evolved = caseBy RefuseUnknown

-- | The same by @planSkipping@.
skipping :: String -> Schema -> Schema -> [Rule] -> [String] -> Entry
skipping = caseBy SkipUnknown

caseBy :: Unknown -> String -> Schema -> Schema -> [Rule] -> [String] -> Entry
caseBy unknown title old new rules values =
  entry
    title
    [ ("from", bytes (encode (valid old))),
      ("to", bytes (encode (valid new))),
      ("skipping", truth (unknown == SkipUnknown)),
      ("rules", list (map (ruleJson new) rules)),
      ("plan", either (text . T.unpack . describeMismatch) (const nothing) decoder),
      ("values", list (either (const []) (\g -> map (valueJson g . hex) values) decoder))
    ]
  where
    decoder = planned unknown (Description new edits) (getJsonLine new) old
    edits =
      V.map (\d -> [e | Rule t e <- rules, t == definitionName d]) (schemaDefinitions new)
    valid s = either (error . ((title ++ ": ") ++)) id (checkSchema s)
    valueJson g bs =
      object
        [ ("bytes", bytes bs),
          either (\e -> ("refused", refusal e)) (\json -> ("json", line json)) (runGetWhole g bs)
        ]

ruleJson :: Schema -> Rule -> Json
ruleJson new (Rule t e) = object (members ++ [("type", name t)])
  where
    members = case e of
      Added f bs ->
        [ ("rule", "\"added\""),
          ("constructor", maybe nothing name (fst (split f))),
          ("field", name (snd (split f))),
          ("default", line (json (snd (split f)) bs)),
          ("defaultBytes", bytes bs)
        ]
      Renamed a b -> ("rule", "\"renamed\"") : old a ++ [("new", name (snd (split b)))]
      Dropped f ->
        [ ("rule", "\"dropped\""),
          ("constructor", maybe nothing name (fst (split f))),
          ("field", name (snd (split f)))
        ]
      RenamedConstructor a b ->
        [("rule", "\"renamedConstructor\""), ("old", name a), ("new", name b)]
      DroppedConstructor c -> [("rule", "\"droppedConstructor\""), ("name", name c)]
      UnknownConstructors c -> [("rule", "\"unknownConstructors\""), ("name", name c)]
      _ -> error "no rule for other languages"
    name = text . T.unpack
    old a =
      [("constructor", maybe nothing name (fst (split a))), ("old", name (snd (split a)))]
    -- The constructor, if there is one, and the field.
    split f = case T.splitOn "." f of
      [c, g] -> (Just c, g)
      _ -> (Nothing, f)
    json f bs =
      let shapes =
            [ fieldShape g
              | d <- V.toList (schemaDefinitions new),
                definitionName d == t,
                c <- definitionConstructors d,
                g <- constructorFields c,
                fieldName g == f
            ]
       in case listToMaybe shapes of
            Just shape
              | Right l <- runGetWhole (getJsonLine new {schemaRoot = shape}) bs -> l
            _ -> error ("a default that is none: " ++ show f)

-- | The schema of the first definition.
of' :: [Definition] -> Schema
of' = Schema (Reference 0) . V.fromList

record :: Text -> [Field] -> Definition
record title fields = Definition title Record Unordered [Constructor title False fields]

variant :: Text -> [(Text, [Field])] -> Definition
variant title cs = Definition title Sum Unordered [Constructor c False fields | (c, fields) <- cs]

-- | Its order is known.
enumeration :: Text -> [Text] -> Definition
enumeration title cs = Definition title Sum ByParts [Constructor c False [] | c <- cs]

field :: Text -> Shape -> Field
field = Field

-- | A newtype.
wraps :: Text -> Shape -> Definition
wraps title inner = Definition title Newtype Unordered [Constructor title False [Field "1" inner]]
