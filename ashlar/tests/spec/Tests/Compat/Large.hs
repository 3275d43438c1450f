{-# LANGUAGE TemplateHaskell #-}

-- |
-- Module      : Tests.Compat.Large
-- Description : Types of many constructors
module Tests.Compat.Large (enumeration) where

import qualified Ashlar.Compat.Binary as B
import qualified Ashlar.Compat.Cereal as C
import Data.Binary (Binary)
import Data.Serialize (Serialize)
import Data.Word (Word8)
import GHC.Generics (Generic)
import Language.Haskell.TH
import Test.QuickCheck (Arbitrary (..), elements)

-- | A type of this name with so many constructors. Every hundredth has a field.
enumeration :: String -> Int -> Q [Dec]
enumeration name n = do
  let ty = mkName name
      con i = mkName (name ++ "_" ++ show i)
      hasField i = i `mod` 100 == 99
      field = (Bang NoSourceUnpackedness NoSourceStrictness, ConT ''Word8)
      constructors = [NormalC (con i) [field | hasField i] | i <- [0 .. n - 1 :: Int]]
      value i = if hasField i then AppE (ConE (con i)) (LitE (IntegerL 7)) else ConE (con i)
      stock = DerivClause (Just StockStrategy) (map ConT [''Eq, ''Show, ''Generic])
      anyclass =
        DerivClause
          (Just AnyclassStrategy)
          (map ConT [''B.Binary, ''C.Serialize, ''Binary, ''Serialize])
  generator <- [|elements $(pure (ListE (map value [0 .. n - 1])))|]
  pure
    [ DataD [] ty [] Nothing constructors [stock, anyclass],
      InstanceD
        Nothing
        []
        (AppT (ConT ''Arbitrary) (ConT ty))
        [ValD (VarP 'arbitrary) (NormalB generator) []]
    ]
